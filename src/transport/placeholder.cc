namespace transport {}
