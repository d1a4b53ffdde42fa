// Reads a table as rows of values: a cell that spans several rows or columns is repeated in each.
(troupe => {
  const { textContent } = troupe.dom;

  const textOf = cell => (cell.innerText ?? textContent(cell)).replace(/\s+/g, ' ').trim();

  // Builds the grid: grid[row][column] is a cell.
  const layOut = rows => {
    const grid = rows.map(() => []);
    rows.forEach((row, y) => {
      let x = 0;
      for (const cell of row.cells) {
        while (grid[y][x]) x++;
        // rowspan=0: to the end of the row group.
        const height = cell.rowSpan || rows.filter(each => each.parentNode === row.parentNode).length;
        for (let down = 0; down < height && y + down < rows.length; down++) {
          if (rows[y + down].parentNode !== row.parentNode) break;
          for (let right = 0; right < cell.colSpan; right++) grid[y + down][x + right] = cell;
        }
        x += cell.colSpan;
      }
    });
    return grid;
  };

  const isHeader = cells => cells.length > 0 && cells.every(cell => !cell || cell.tagName === 'TH');

  // "Price" above "net" becomes "Price net"; a header that spans both rows is named once.
  const headersOf = (headerRows, width) => {
    const seen = new Map();
    return Array.from({ length: width }, (_, x) => {
      const cells = [...new Set(headerRows.map(row => row[x]).filter(Boolean))];
      const name = cells.map(textOf).filter(Boolean).join(' ') || `column${x + 1}`;
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      return count === 1 ? name : `${name} ${count}`;
    });
  };

  // {caption, headers, rows}: rows are objects by header, or arrays for a table without a header row.
  troupe.readTable = element => {
    const table = element.closest('table') ?? element.querySelector('table');
    if (!table) throw troupe.fail('ELEMENT_NOT_INTERACTIVE', `${troupe.preview(element)} is not a table`);
    const rows = [...table.rows];
    const grid = layOut(rows);
    const width = Math.max(0, ...grid.map(cells => cells.length));
    let top = rows.findIndex((row, y) => row.parentNode !== table.tHead && !isHeader(grid[y]));
    if (top < 0) top = rows.length;
    const headers = top > 0 ? headersOf(grid.slice(0, top), width) : [];
    const values = grid.slice(top).map(cells =>
      Array.from({ length: width }, (_, x) => cells[x] ? textOf(cells[x]) : ''));
    return {
      caption: table.caption ? textOf(table.caption) : '',
      headers,
      rows: headers.length ? values.map(row => Object.fromEntries(headers.map((name, x) => [name, row[x]]))) : values,
    };
  };
})(globalThis.troupe);
