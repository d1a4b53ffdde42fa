// The devices, one per line: name, portrait viewport and screen, landscape viewport and screen, device pixels
// per CSS pixel, user agent. A dash means none. Values are Playwright's.
#pragma once

#include <string_view>

namespace engine {

inline constexpr std::string_view kDevices = R"(
Blackberry PlayBook   | 600x1024 | -         | 1024x600 | -        | 1     | Mozilla/5.0 (PlayBook; U; RIM Tablet OS 2.1.0; en-US) AppleWebKit/536.2+ (KHTML like Gecko) Version/{safari} Safari/536.2+
BlackBerry Z30        | 360x640  | -         | 640x360  | -        | 2     | Mozilla/5.0 (BB10; Touch) AppleWebKit/537.10+ (KHTML, like Gecko) Version/{safari} Mobile Safari/537.10+
Galaxy Note 3         | 360x640  | -         | 640x360  | -        | 3     | stock Android 4.3; en-us; SM-N900T Build/JSS15J
Galaxy Note II        | 360x640  | -         | 640x360  | -        | 2     | stock Android 4.1; en-us; GT-N7100 Build/JRO03C
Galaxy S III          | 360x640  | -         | 640x360  | -        | 2     | stock Android 4.0; en-us; GT-I9300 Build/IMM76D
Galaxy S5             | 360x640  | -         | 640x360  | -        | 3     | phone Android 5.0; SM-G900P Build/LRX21T
Galaxy S8             | 360x740  | -         | 740x360  | -        | 3     | phone Android 7.0; SM-G950U Build/NRD90M
Galaxy S9+            | 320x658  | -         | 658x320  | -        | 4.5   | phone Android 8.0.0; SM-G965U Build/R16NW
Galaxy S24            | 360x780  | -         | 780x360  | -        | 3     | phone Android 14; SM-S921U
Galaxy A55            | 480x1040 | -         | 1040x480 | -        | 2.25  | phone Android 14; SM-A556B
Galaxy Tab S4         | 712x1138 | -         | 1138x712 | -        | 2.25  | tablet Android 8.1.0; SM-T837A
Galaxy Tab S9         | 640x1024 | -         | 1024x640 | -        | 2.5   | tablet Android 14; SM-X710
Galaxy Z Fold 6       | 928x1004 | 928x1080  | 1028x876 | 1080x928 | 2     | phone Android 10; SM-F956U
Galaxy Z Fold 6 Cover | 484x1112 | 484x1188  | 1136x432 | 1188x484 | 2     | phone Android 10; SM-F956U
Galaxy Z Fold 7       | 984x1016 | 984x1092  | 1040x932 | 1092x984 | 2     | phone Android 10; SM-F966U
Galaxy Z Fold 7 Cover | 360x764  | 360x840   | 788x308  | 840x360  | 3     | phone Android 10; SM-F966U
Galaxy Z Flip 6       | 360x804  | 360x880   | 828x308  | 880x360  | 3     | phone Android 10; SM-F741U
Galaxy Z Flip 6 Cover | 360x298  | 360x374   | 322x308  | 374x360  | 2     | phone Android 10; SM-F741U
Galaxy Z Flip 7       | 360x764  | 360x840   | 788x308  | 840x360  | 3     | phone Android 10; SM-F761U
Galaxy Z Flip 7 Cover | 474x448  | 474x524   | 472x422  | 524x474  | 2     | phone Android 10; SM-F761U
iPad (gen 5)          | 768x1024 | -         | 1024x768 | -        | 2     | iPad 12_2
iPad (gen 6)          | 768x1024 | -         | 1024x768 | -        | 2     | iPad 12_2
iPad (gen 7)          | 810x1080 | -         | 1080x810 | -        | 2     | iPad 12_2
iPad (gen 11)         | 656x944  | -         | 944x656  | -        | 2.5   | Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/{safari} Mobile/19E241 Safari/604.1
iPad Mini             | 768x1024 | -         | 1024x768 | -        | 2     | iPad 12_2
iPad Pro 11           | 834x1194 | -         | 1194x834 | -        | 2     | iPad 12_2
iPhone 6              | 375x667  | -         | 667x375  | -        | 2     | iPhone 11_0
iPhone 6 Plus         | 414x736  | -         | 736x414  | -        | 3     | iPhone 11_0
iPhone 7              | 375x667  | -         | 667x375  | -        | 2     | iPhone 11_0
iPhone 7 Plus         | 414x736  | -         | 736x414  | -        | 3     | iPhone 11_0
iPhone 8              | 375x667  | -         | 667x375  | -        | 2     | iPhone 11_0
iPhone 8 Plus         | 414x736  | -         | 736x414  | -        | 3     | iPhone 11_0
iPhone SE             | 320x568  | -         | 568x320  | -        | 2     | Mozilla/5.0 (iPhone; CPU iPhone OS 10_3_1 like Mac OS X) AppleWebKit/603.1.30 (KHTML, like Gecko) Version/{safari} Mobile/14E304 Safari/602.1
iPhone SE (3rd gen)   | 375x667  | -         | 667x375  | -        | 2     | Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/603.1.30 (KHTML, like Gecko) Version/{safari} Mobile/19E241 Safari/602.1
iPhone X              | 375x812  | -         | 812x375  | -        | 3     | iPhone 11_0
iPhone XR             | 414x896  | -         | 896x414  | -        | 3     | iPhone 12_0
iPhone 11             | 414x715  | 414x896   | 800x364  | 414x896  | 2     | iPhone 12_2
iPhone 11 Pro         | 375x635  | 375x812   | 724x325  | 375x812  | 3     | iPhone 12_2
iPhone 11 Pro Max     | 414x715  | 414x896   | 808x364  | 414x896  | 3     | iPhone 12_2
iPhone 12             | 390x664  | 390x844   | 750x340  | 390x844  | 3     | iPhone 14_4
iPhone 12 Pro         | 390x664  | 390x844   | 750x340  | 390x844  | 3     | iPhone 14_4
iPhone 12 Pro Max     | 428x746  | 428x926   | 832x378  | 428x926  | 3     | iPhone 14_4
iPhone 12 Mini        | 375x629  | 375x812   | 712x325  | 375x812  | 3     | iPhone 14_4
iPhone 13             | 390x664  | 390x844   | 750x342  | 390x844  | 3     | iPhone 15_0
iPhone 13 Pro         | 390x664  | 390x844   | 750x342  | 390x844  | 3     | iPhone 15_0
iPhone 13 Pro Max     | 428x746  | 428x926   | 832x380  | 428x926  | 3     | iPhone 15_0
iPhone 13 Mini        | 375x629  | 375x812   | 712x327  | 375x812  | 3     | iPhone 15_0
iPhone 14             | 390x664  | 390x844   | 750x340  | 390x844  | 3     | iPhone 16_0
iPhone 14 Plus        | 428x746  | 428x926   | 832x378  | 428x926  | 3     | iPhone 16_0
iPhone 14 Pro         | 393x660  | 393x852   | 734x343  | 393x852  | 3     | iPhone 16_0
iPhone 14 Pro Max     | 430x740  | 430x932   | 814x380  | 430x932  | 3     | iPhone 16_0
iPhone 15             | 393x659  | 393x852   | 734x343  | 393x852  | 3     | iPhone 17_5
iPhone 15 Plus        | 430x739  | 430x932   | 814x380  | 430x932  | 3     | iPhone 17_5
iPhone 15 Pro         | 393x659  | 393x852   | 734x343  | 393x852  | 3     | iPhone 17_5
iPhone 15 Pro Max     | 430x739  | 430x932   | 814x380  | 430x932  | 3     | iPhone 17_5
iPhone 16             | 393x659  | 393x852   | 734x343  | 393x852  | 3     | iPhone 18_7
iPhone 16 Plus        | 430x739  | 430x932   | 814x380  | 430x932  | 3     | iPhone 18_7
iPhone 16 Pro         | 402x681  | 402x874   | 756x352  | 402x874  | 3     | iPhone 18_7
iPhone 16 Pro Max     | 440x763  | 440x956   | 838x390  | 440x956  | 3     | iPhone 18_7
iPhone 16e            | 390x651  | 390x844   | 726x340  | 390x844  | 3     | iPhone 18_7
iPhone 17             | 402x681  | 402x874   | 756x352  | 402x874  | 3     | iPhone 18_7
iPhone Air            | 420x719  | 420x912   | 794x370  | 420x912  | 3     | iPhone 18_7
iPhone 17 Pro         | 402x681  | 402x874   | 756x352  | 402x874  | 3     | iPhone 18_7
iPhone 17 Pro Max     | 440x763  | 440x956   | 838x390  | 440x956  | 3     | iPhone 18_7
iPhone 17e            | 390x651  | 390x844   | 726x340  | 390x844  | 3     | iPhone 18_7
Kindle Fire HDX       | 800x1280 | -         | 1280x800 | -        | 2     | Mozilla/5.0 (Linux; U; en-us; KFAPWI Build/JDQ39) AppleWebKit/535.19 (KHTML, like Gecko) Silk/3.13 Safari/535.19 Silk-Accelerated=true
LG Optimus L70        | 384x640  | -         | 640x384  | -        | 1.25  | Mozilla/5.0 (Linux; U; Android 4.4.2; en-us; LGMS323 Build/KOT49I.MS32310c) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/{chrome} Mobile Safari/537.36
Microsoft Lumia 550   | 360x640  | -         | 640x360  | -        | 2     | Mozilla/5.0 (Windows Phone 10.0; Android 4.2.1; Microsoft; Lumia 550) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{chrome} Mobile Safari/537.36 Edge/14.14263
Microsoft Lumia 950   | 360x640  | -         | 640x360  | -        | 4     | Mozilla/5.0 (Windows Phone 10.0; Android 4.2.1; Microsoft; Lumia 950) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{chrome} Mobile Safari/537.36 Edge/14.14263
Nexus 10              | 800x1280 | -         | 1280x800 | -        | 2     | tablet Android 6.0.1; Nexus 10 Build/MOB31T
Nexus 4               | 384x640  | -         | 640x384  | -        | 2     | phone Android 4.4.2; Nexus 4 Build/KOT49H
Nexus 5               | 360x640  | -         | 640x360  | -        | 3     | phone Android 6.0; Nexus 5 Build/MRA58N
Nexus 5X              | 412x732  | -         | 732x412  | -        | 2.625 | phone Android 8.0.0; Nexus 5X Build/OPR4.170623.006
Nexus 6               | 412x732  | -         | 732x412  | -        | 3.5   | phone Android 7.1.1; Nexus 6 Build/N6F26U
Nexus 6P              | 412x732  | -         | 732x412  | -        | 3.5   | phone Android 8.0.0; Nexus 6P Build/OPP3.170518.006
Nexus 7               | 600x960  | -         | 960x600  | -        | 2     | tablet Android 6.0.1; Nexus 7 Build/MOB30X
Nokia Lumia 520       | 320x533  | -         | 533x320  | -        | 1.5   | Mozilla/5.0 (compatible; MSIE 10.0; Windows Phone 8.0; Trident/6.0; IEMobile/10.0; ARM; Touch; NOKIA; Lumia 520)
Nokia N9              | 480x854  | -         | 854x480  | -        | 1     | Mozilla/5.0 (MeeGo; NokiaN9) AppleWebKit/534.13 (KHTML, like Gecko) NokiaBrowser/8.5.0 Mobile Safari/534.13
Pixel 2               | 411x731  | -         | 731x411  | -        | 2.625 | phone Android 8.0; Pixel 2 Build/OPD3.170816.012
Pixel 2 XL            | 411x823  | -         | 823x411  | -        | 3.5   | phone Android 8.0.0; Pixel 2 XL Build/OPD1.170816.004
Pixel 3               | 393x786  | -         | 786x393  | -        | 2.75  | phone Android 9; Pixel 3 Build/PQ1A.181105.017.A1
Pixel 4               | 353x745  | -         | 745x353  | -        | 3     | phone Android 10; Pixel 4
Pixel 4a (5G)         | 412x765  | 412x892   | 840x312  | 412x892  | 2.63  | phone Android 11; Pixel 4a (5G)
Pixel 5               | 393x727  | 393x851   | 802x293  | 851x393  | 2.75  | phone Android 11; Pixel 5
Pixel 6               | 412x839  | 412x915   | 863x360  | 915x412  | 2.625 | phone Android 12; Pixel 6
Pixel 6 Pro           | 412x816  | 412x892   | 840x360  | 892x412  | 3.5   | phone Android 12; Pixel 6 Pro
Pixel 6a              | 412x839  | 412x915   | 863x360  | 915x412  | 2.625 | phone Android 12; Pixel 6a
Pixel 7               | 412x839  | 412x915   | 863x360  | 915x412  | 2.625 | phone Android 14; Pixel 7
Pixel 7 Pro           | 412x816  | 412x892   | 840x360  | 892x412  | 3.5   | phone Android 13; Pixel 7 Pro
Pixel 7a              | 412x839  | 412x915   | 863x360  | 915x412  | 2.625 | phone Android 13; Pixel 7a
Pixel 8               | 412x839  | 412x915   | 863x360  | 915x412  | 2.625 | phone Android 14; Pixel 8
Pixel 8 Pro           | 448x921  | 448x997   | 945x396  | 997x448  | 3     | phone Android 14; Pixel 8 Pro
Pixel 8a              | 412x839  | 412x915   | 863x360  | 915x412  | 2.625 | phone Android 14; Pixel 8a
Pixel 9               | 360x732  | 360x808   | 756x308  | 808x360  | 3     | phone Android 14; Pixel 9
Pixel 9 Pro           | 427x876  | 427x952   | 900x375  | 952x427  | 3     | phone Android 14; Pixel 9 Pro
Pixel 9 Pro XL        | 448x921  | 448x997   | 945x396  | 997x448  | 3     | phone Android 14; Pixel 9 Pro XL
Pixel 10              | 360x732  | 360x808   | 756x308  | 808x360  | 3     | phone Android 16; Pixel 10
Pixel 10 Pro          | 427x876  | 427x952   | 900x375  | 952x427  | 3     | phone Android 16; Pixel 10 Pro
Pixel 10 Pro XL       | 448x921  | 448x997   | 945x396  | 997x448  | 3     | phone Android 16; Pixel 10 Pro XL
Moto G4               | 360x640  | -         | 640x360  | -        | 3     | phone Android 7.0; Moto G (4)
Desktop Chrome HiDPI  | 1280x720 | 1792x1120 | -        | -        | 2     | desktop
Desktop Edge HiDPI    | 1280x720 | 1792x1120 | -        | -        | 2     | desktop Edg/{chrome}
Desktop Firefox HiDPI | 1280x720 | 1792x1120 | -        | -        | 2     | Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:{firefox}) Gecko/20100101 Firefox/{firefox}
Desktop Safari        | 1280x720 | 1792x1120 | -        | -        | 2     | Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/{safari} Safari/605.1.15
Desktop Chrome        | 1280x720 | 1920x1080 | -        | -        | 1     | desktop
Desktop Edge          | 1280x720 | 1920x1080 | -        | -        | 1     | desktop Edg/{chrome}
Desktop Firefox       | 1280x720 | 1920x1080 | -        | -        | 1     | Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:{firefox}) Gecko/20100101 Firefox/{firefox}
)";

}  // namespace engine
