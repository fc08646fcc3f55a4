// Two scenes and three cluttered digits of the built-in worlds, with what is known of them.

type Box = [number, number, number, number];

export interface KnownScene {
  png: string; // 64 x 64
  about: string;
  words: { text: string; boxes: Box[] }[];
  things: { text: string; box: Box }[];
  questions: { text: string; answer: string; boxes: Box[] }[];
}

export interface KnownDigit {
  png: string; // 60 x 60
  about: string;
  box: Box;
}

export const kScenes: KnownScene[] = [
  {
    png: "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAcU0lEQVR42k1aaZQc1XWu6uruqt5n00zPImk2SaPRbiQQwhLCgCHelwTHTuzEcbz9SewcHzvHxifnJBBiMIjNbAbbSXByTuLYYFtol5CQDAaMhBBCaAO07zPTS/VWS757v54+Httyz3TVe/fd5bvfvfeZC++82oxEYtFow/OiltVoNGLxuGkYvu+bphm37XKpFLEsKxLhV2EQ4DfP9218DsOZ7f1Xj17133t+YRhGvV6PxWKGaQa+jxd9z8MDWARLWdFoxDTxazwe9zwPS6XT6Wq1ipXxGN6NRCKG/mBxPM/1uRS+CoLAD4JMOl2r1WzbdisunsBSWMFc+oNVWBeLYi3sgafxv2qlgg2mpqYymQxe5lfYFY/h11QqVS6X8SQ2m9UxsKB37P9e+TVEl3dNEx/wLVbHr9FolIqwVDV4F5/xWqNehxwibjQKBTmOg8PjgUQyCVXidSyCP0I+vAih8Ypj2/yAPUqlUiKZwJlCwzD/4w9PYyc8Go1anudjS88XU9i2UywW8St1hn+xbjabhUBYiPqW43lBLp0t18vVag2axVsivR1v1BvYKwhCCCoWsCyoCa9gF8uKmmoNSFmpVPAA/uX58R0/U6d4EVuUSkXHSXARHBLv4my1WhUvlsuuedW9qytuBbqxHcdXQbGNbBKNYhUIiq/wf6lkEnLDOHAhT42uR/Xn9Y0Ot83ecWw33oIWnEQCGhIVxmNWxKJviA2n/4UEeFG2s+16ow5z+2oWbI3F67VaIpGg12F3PJZMpfB/lB4C4C+GKSLZUFI8Dl8yl919HV/AF/G4DePC0fGvr86HHywkp7EsiEiBIAR0AOmhqi67ffHAgi1vP89jQ/TOri48UKtWcU59T45Bf8WvxvQPnoFexNSquNAIa7V6PBZrSY9n8Fk0qCexNEgkGGFYP2hZz0QQ46/4Ha819AfPwXAiKDQdhviX3gw9QCYGGZ6HQIiTGU7n0tmLth99gRaXbwPfa3j0h5pqFF/g3ZgGfagRJfrSU0FTeFGsUa9DSuyC5/EWjcwDQCSslkwmIbHgh+dhX3wHHckzS35wbRiEjDb8NarOynesKCBCQpB24IqEGoIG9D2vfw4sgAMgYPAX8c56LRaNQaMIAyzLmMaWjHvsAlGIP+a0jEEY4BMxEC/gX19PBWWLjykMmBETJhIIUoSo1etJqAaOt+rhm3EUcfSweQyBznIZLkZxaXcqnnqClPiMFxKOM5DrG+seXX9gi6k/dBWBSxgXgQ7gajQQ+mK6qFWYKkSLwejBwD1fPNMTWGv66DDEWeKmqXrBsXESCAa5HdshbFD9BLpQf7C+ueKB6zUiY4YREitMw1Qk9uBulWo1Jj9Rug3eh/Q4bKAPQNzuRNd499wd7+5Ro8Hdw6q+Ai9CmGGpP08Oj4apjcb5F4un8e5Nh53bFi+GO93z9Pr9S83ozGzo+Z9ODd9g995Rfv1MowS7YXkoXLEVURviQ6XicvdEIgkNajSGMA5gwLzmoQ9Ax65bTiVTTUDwRUr6NP4BqnjisrBPTPMJVrQFcBSn+7O9C/Jjmw/v0ECK4wH4Wl0AO4IFy255lZ3/cNg92p4/eOnU4QNvDo6Oz58xA/L9ds/e3cGpz80YHlk4blf9N+3Kg5P7TQueaQKOJaUYZjKVdF1XXMgw4ZMA0wYklozkAUazmawc9ap1q+GUkmX8APaKWlHIiOemwdiXqDCA2cgGkon4d3FTAelst9O5ID9v2/HdWBErQG6cpFqpZrIZwSINYhjqQ1bfzdW29lzbwV9sHfjwqkrd2/DMjs8k2yKfvu5iYfJn5okD/qS6sQFrQ1xIxkShkWPBsZLJVKEwBZyMCg/weEKo3lz1yE0CrqGB4EOKLUlexJaxcqmMvRV3RSVYC7kSCzE/QHp8qFVrg50zx/NjG97air0l4swITgtJkFABPXIY2Mp2orHozW9Ubj0e5PadhJqrfhDVFd6+afSRJWExaUHT8HpDtFtXSBTwhDzFQlFc0YwoKFuEPoHh0JicnExn0uY1D94QFRcXuoHsAKhKSM4CQiFZBhAIBwOqFgqFtrY2fIvn4gqIWLRarYx0D83vnrP58E5PmYKk+ogoBiGCxILHsAI+KIpEshfd+x49AeV5Cs2HemN3f2lIPb4JdDgDol61HyKFYX3JZYlksVSMy49d0g+QHi/AvyG5ufrxW6BIqA2ngp8ABGQJbAwUjVqtjEh4SYgXIgGFMA5sBU0Pdc0amzG65chO5G5hciJzyBTDbM0Eh5jGf2aUgocfP4OdsBQw56Vh+6m/GoGbtR7DMeoKvrADnBGHxr6aoCQshTUBOhsiHjbDVvBYc/Hd18JhCMiMdISE61aAALlcDh9SqaSQp0RCqJ8Zse24xndAX5zdPnMoN2v7sRdwKknkYAfTfEHlADsSEgZnwKnartQeeOyUrxkakPD7Efv+T3Vz07iiNvyQSQDhCx8GH4GOgCL4FXEFWwGj4FFQlhjHD6Bjc80TtwpIRyxoiNFDxIVKoG/4TyhUyPAV/iuui/dhsfaOdigGxxvrnzO3Y3jjoe0S8ZKpwXJjjGMnAY6gpEB8SThI7krlR0+clZRoCl3fO5Z5+LY+T3+aZE7FwH+QNBCKOLP+MUJghcqqNSjRpDoMcZvQXPJv15LuMk8Ju9D8hQ9UJCkNtJjOZAg+zE1ThQISWXeya8nAAiQy2A2I4dBQEmPi0FhKuWAIcBOGctl96ueTsCf8B37+8rBz/ye7IW5MuTfSFj4AgiVV12qsQPAWmLOnhMDS4CEfI1UTVSy4Y4W4V7mMSFXCLUWBALmSBTItElKokbmQDFnCPZEYRAx0z3nuwBZRlASWz+QqvqssMiUO6ZL6B1eCB39+rqchC+Kczy7se/ZjaRpcIzCGswnVyWRIHwRzUimyBFLMFs3hA8JFUNDgfUFgTc44/cTEBIgAahpqAobDCcnmAWHgPOR2lAls9KrBJb/Zv4kWwzq+Ej7mbMIodzVPWf5L1sK6d9vlc6NJZ2ck9pidiQ9H46sjlh1pQROUiJMEWvdRVm4Nt6mpWoNpdo0IEThafNdKPEfCjNh0lBiS8Yo7Ndc1yS9iWtwAlVjQYLnZHTOXzFq48eA2CAqtC6N2XSwCrWeyWTwJBAQ6D53p/GBi4Mcb9k25XnJF3Boyqrt840rkw8sHs1njVx0n4u2xihpK6idJvWIWqaJcsDKb+mZFgWcqgocOnEIqQByAJAznY3oiZ8YfAVVYlLRCflVyT44tUSXwbszJj8ztGnnmtfV4FwdWJBVEo7YEXiSojI+dnP25FXN+vPWtDfETsTlECKey03v81jVtjvXlV18o9InBSemRTOgOkm3U2qGQgwb8GRJANU1shTMDu665/wboTFOPRz6MnIV/oWz+hfaivgNNCjEtOwxVyUCud2Hf/K2Hd7J+xzPYoJnC9Yf+sLTY8a3hJS+VL9078Sq1iLPlU7l1mRWnC8XvenuZ3eEIjDToGLKS4zTJvGmSSFusTHwhaaLoRXetjKqxIFxVK4YWr6YRgaTxWByuz2dY1sAj6bIz2/sRxL/etwH5G+iEZ/BkR2dnVRGwppAChMjb6Yd7Vp9ulL595WU4G3FweTp/+4wVe0qn103sZ8xMTU1hHdGOqkNZpvBQ8helcQ0WLWJD1gNX/XA1SyEGilupMBECBH0lGJCDLQZqBdkRoeOzzPV9xMCigXEcAIppaPDgAfJwiB60Ki+vAWVD5V88u90NJG1B1i8OLPt4fOCXtRP/e+WwMl/JodAavoIXwccUKMHPayw14TMJLUUgKn4lGAqdTiQc5nNkbMtqtgbAvAFqahDhEUBreDxomXR1QHdNLl3FAZYPLVt/YLMp+CDYLPWk9CMCVgVISVAeNvt6dHSxmft+443zfoWq+WLb+Nqwa1314Culc8j35F1ai0LfzdaBpFFTAlpScgROCweLtOp1IarL162B1eDZKA5wDNgxKglI6YomNdIhZmtJHEiiyK9GCI6F/Wa1DyzqG1//5mb6Ohk4tYBnJYoErA16SLeVfK90xWl2hORgbXXzikSfxz6F9M5i2q4yjbhUF6ALPlkJdNrifPgrlrVtlFY+yNytNalQJQfJEl4DWVMosTANS5dGSFjN8lK+QlgzN0uTp1XQIKjxrnJdc3JiAg7K/ofAseKg7dj0E0JNSshmFQJpwVVRtAjS6VTFrUAYVojYEd9q8S3QDOAHFxIe6jfZhwTG8vvX4BN0j0yMhdTcjmaTKAmMArDYHKl2qjCFOksk8wMsh6/yqW5YYNvRXTgYFAEpwZTAgoKA9giY1HSLeuH8JHZpApqeDSsk2pMIG2yAM8MlisUCdA/F40vQqlaRjefh1agtpc2jPsbukLny4RtVyAi+kwJHzSScOQhtaYDVoBVTelVAgygWrGmkCpjGwSL93nT30pkL17+5hYyAri+ZUbBcOLrAgKJH8eTUqdff6+joaKVS1qwjN481fMCXrWw0IJ6K3BXxC/W9BDbUBp64VqisgQxNLHDVujVIB9LnqVXpuFxFY1EiGAbB+5RJ9la2AyMg5vDrSM/Qwt75z+x7DkiAMyDulRriqAJiJosbaQtJRHo1L1CwZ6EjgCbnllYhcI/t0aQEZAhvZNXSEoAH0xxiag8TxQ1qRgcW+AA8B5aFxJ7fbCexz0XvV2YKLiStG+GnQpxECZYU4EZPcsai3vmbjzxPggQ/gadBF9Aoq1tToCPAFmzGiHNLWmpqpNW9qirsAgYl9wHTG3WmdjiVFPIaYOyoinZE4TF2D8yrH1yL1+AnDVUChMax8BneYmiHgimCp+JCxB/1y7A/kx9um7XrxEvT6U+MBCHwDGs36YU4CTqDVmqiTnIWbdTJYQTjf38+dqIa6U9F1uSxNQ7AGh91FVwfYjBZqQajZNSQAZghvVFBTKXNEgORSDKRkFSikQEnjqtPN0nvlZp1thrry5YyPosEuNBI++Cud1/EaZF9EcTsxIQaJwzNQPvB+Is13VfNG/Zfdy741ZXDb9SuiDQn3ZUnUn/zkTUgv0+988beHuH2bZXwMx3zdky8+5o/wSKBDXqpyHVx2tC8et1aEqO4opJ4KlinUgnSUqk2lPZA+k+d6+zv7lq/Z+/J5clar0BEf653Qe/Yb/dv0pIS9MmPSAUsCT+cpkPS+E8k2HzWJmFkSS7/zewiy62/1Lj47/v34cx/17N05QKpj3edePepy4dvG5378fZRRNpTpcNbiyeIp8xIzWIDn9X9pCITa+o2ceWSitmCP3XFVhBaWA2n+pNy/muLVgArT14u/uP23waru/E6KrJr5izHAQQWNHKQ7cFHQuUaMDHCmseAc2H96SK94URjn+0Y+2hiFuz0lcd/sXIw//kbV0Kjj2576S9WLs2lEzsrZ/9n8sjlUHIzLNOWy4lIcHLtlUBNEE/zwL1rpMBBJq4xjTc7EfDCuDSzPDJEWOAGr/srMxcjoRw6eeGfj+2pDiHG7JHuodnZgc2HdrA3ijgBme3o7JiaKsBhohrH5CYk+nRl6fYpU2g7Zawud/5s095Cqbxi7gBQat/RU9/80xv+YF16b6hOzZJaQ27HdphdIppVWUJKPcCmAP2VPXHRkJbkmttjHNIMpspfjfc0ptKTsX17csk9Z1NYGgeY2zW88a3tdD9OtdjzIH9khdXEGi2DhIfpTEmqzUqlXqpe/s9ztYmqDqAMO+EMfHW4YUshIcMU9WfliBG8QjIv7LDRgFmwprnywRtBdxPqM+RHdFnwWG3LSJMZsAhy+uTN5+bPAKtpoH6IWZkjR5f85EjYiDv5mXM3HdoOKMPqcWWIUTWjEEGwgFIJjsTDMPtUtCk03caUYcKpJ48Hlz2kASAvjrTozuUwHRIZ6yrt2BraKTPZM/eUkKR0YmCueuimqQKyd0z6WHpKU7u5UCSLfZCWBbb3vfHO3pH90DJMGZOSInJm9+frNWkD7sqaTxzbTu1y4IVX4IHaKzPglHgeYtlqZK4vJfX0BBJPnX7yuHu6TFLkOHb3N2bnsllokN0xVvfNMZJWSM1ZkRzPMMf/ZTmrY45k8DUKH1iAogzbuQ9lBtcm+zKzX+sYOShtFWmkhq9eSD29L+e6nXOcGbXe/h3Hdld1yKAjICupfTvRiCXs2kkkiHq+0gpYQ7ov2qW0JFE2zv30vfBKQNIFMYa+O5/8VzJmEHK2S0JlaOMQ7sAkCIFRD9xA/kP7siEsrMGXTta6+LL2RHqnf+GWq9cnrZoaSbp/t78688XTFs7Zm+4Z6xrdcnQn625mSkNzE0MPmaGuLEHmpHWsIGCdyaRBbGpCXuSQxx865F2sUwDE6Pidy9j8SygpVAvUtI41Ah2YZbLSq8W7sKG55vFbJQaS0gYjkYYOlYWjHGksSXWfqhWG2y/dteqCwVmiaZ732v5yQydrmsGOWUO5mTve+Z2OCypaJQnz0ZMIs8K/xUJB2sjTniDzObeiPWeT+fjdR45OHr+Eh4XbONHZ35qD+obzVvHSeKxUlK4oFkcECpmVrQ2doPrm++57vzJkAFMNZ5oeudWkQVISvwQLWBmfuuPWy2ybYb9H9ueePdEt7dioNdg5azg3e+vRnSyGxGU1vbQKy0w6XalWtNMB80alRtO6lG1TLFJ+vu7ur5QLF4ArTiIZj+fSY7nE2qiVikxPlxtsMzdzFCfeWrhJDIALYSf4GitoYD8kbo2K65e8+j6/8Xbw9MOX5o3gNevkpcg39g5PVXxkFXhFPt0NMvfcW1vZjGmSsxDpvNnulOYcSm3X1WFHUgM9TrHifnz58c69r549eanodNqxhUbjndA7E6STzppl+T3589HeZuFI2RjTUv1CdJn51aQljANoFVeB6AKX8gO48HC2OZfSH7FmHT4z9ZOtBx078mef8GIRc/3huPH+JDtw8O+exAxQiR3Hd7MoIUGC+wnaaDHA0T9b7Q1tW2i2TpTK5bmnO7+/aOH+9ybvfHFf+iY7kgQ++hObil8aWviplYOPvPzWrsHTtKpQd3F+n3SI0YxjiB+ufuyW5h0E6YJUmSY6q+Yn08PXZwaAG3sOnrln//7UNU75hepwPXUJfPSjofi54GxC+kK983/zxsaoIEOEE2KhgPEYGwXa2w1Z5pMUMqfJ65Oxn4yuPl8ofsd4ncUuS/hv+uOL2ztuP/Dye30VbQMHHFVxfNgaNyqwBub7H/0gVpe5KjIfIs+MfDY+eKPdh8xwse7+8sQ72ypnY33SLu85mn7gumv3Hr/wo85j9bCutzasGU7HvK7RHe/sUYorAQr/cStibvYRWq0AhKP4mGkQxXFgANDt0fn9Vuo77mtXwrovE0SppZ6csdb2jK+VXgyjMoKg6aTNo0S9lRCAY4h1cSGIgrMv7Bl3G+7MauPLzlwv9J+tvIf/eloQhZx7XjSfmLv6xEThH9w9KpZgJVBo8cCCTW/voIjs3iDmsB+QDWA3PbKvc85pNe/O+IyxL5izrk8N3Dux75X6RT1zkI8m782tPF6d+Cf3daI+U29Gm/vqhDZrRiY1YaP4+Lcrv7AyeVV/f/+/7r43ceHUH2oXL9XdNMp81+VOFe0g/LRjdTTpfPniLizEJM32+q9f30iqwyoCXAPkEfr0lLID8CNmc1jUmpMzIX6yY85nk8P/NXn4V8XjbAQuMLPfz1+zafKdxybfNKavLSmAeiwp6UKBZjppeK2473p42H0fu+uh794/NjY29xMLHtr1GJXBMX1DOkKSpBFEj+av77FTnz+7zdOWCZxyfNbYaPvgjuN7OBpju48TUropcyoXZKpiSS1tG0XJq432nZUz0tlVBg6/WhXv3l+7POFV/5hBwWhaoApCBgqmzbE8LIBPt4zf9O21fz9ZKXzr2e8duXAUp8xms1Ak9Fq7jHwZYe13z8ia+dmurx/efi7qwrsR7wji+T1znzuwBSbKZjLSTajVYDcIxDYO+XBketzCyslUQdnohkHYdJLKGMkEyvY9Yc5hWCoVsY4dtwvFIqhbIDgUsCszXYIrnSb8kfrVp8sallQRwzyx5zjQRhTsurfNXzrW3rXujd9H806mLwfHQEU2t2vk+Xd+h4cB1RyRsF9fLBahp2KplJ2eTdGLmH1ZD0iH2GyOS9hPnx6UBMSlVrZuya3XfHR8GLcDKWjuu177XB69DdvXdU4o1ErHNsjhUS0SoMu6XoQBPeZlIdinX9vrKGg4leBlFLaE5cKYtsKZfdh71MtWkoDoY27BrR8rowTHw7lcjvQBZ0jMTie6JBULYZ7u0bNWwXmgGqyDCBSZx+9YAaxtTWqFPEUiLOR53IbeUOFwgUdiJmcJhiCGC204uBXoiaPW9FaTQL5e7fujua0bTNci0nPH3npLD8dzL5Wn75CghkYgVeWmSs5mXidu8uS8QmdqV5x3nOR4y+6+joEFVOFYACfjuJxdQUQP56qgRnySfV/2tvqy+RUj73vmtfVkSniAN7N40ZF+0kxeOmaUK3f1OioETg/ocq37gAx6dkNA7Nyyy+a+EBDHmZqcxC5JzWionDwdosqQjwyb9+ksuQOG7zxe46FT0ruafdIwbGiPANwYKWJWW/9Yjww4eHjGEpu4evMgovdubIre0CE7XAXfVvVOGryRVYHMlXWUyL14g7Gmd2I4LWZ7lPeU2EDhVUbz2h/d2Nxbxt9VnfNYilCG8m8pKVj+1fV6GGplqUgcwKV0/3ozPQvy8zYd2oG3mAfqet8unc5UKnJThtcf5Bh6wwLsBQvyMhL+qkaW2bhiboRehxytd04cXqDhSEoSl8rEVnmz1wRzLf3hKiiSUwN1WZ9yayBKh8eU9yWJ0u0Znc3rrJY1u30mivrn333RV2cjzyEPpeY4YlbUE1mhR34rwkm96yupbjAAWK/InVCBzEBRR2TFwzpKhW0D3lYCykt2Z3udTkYLlssudtKgSeBU8H5h17V6MpXEv1C/qEoawM1BZX+2dzw/b8Nb2zh8l/385lSCsMgrHOzX4gMAR3KQkHlL7yIKJWkBJa9p8NZG8wqhD003WhdoXc0wLXYkMqCklH6v9NIM7RJ7oiS1O6ynjiHBRybIOw7iSJpooBkUNEOZmZuPPK9cUKzsa/evXC5pv180jQK/dZkNsahzu+YwV29CmGo3bf7p3WQwbV5Mag18cU5QfZQTlozqKpw4GXINKyYXnlqNJ02WUlmTfrB9iw04OFJfbM5SW4oZ6pw12jG87eguqWBEJaHsLQVHBLHOBjq7FXRlBqKwGs1feAu1Qdktc5LLG7rYUdKS1BuO9pulfuBNAooH1fD2lcDbdY9+kNlBLmgo3EE4LNHc1ZQTc34sHhwEqXRaLxOqNL4/0NY3p2N4+7EXPL1pp/4TsPPOCnv6eoZoGrU5RxUc67dGy630rNSj2RHjBVIZfOmkHXLT1Vms836I+PPCu65OpVPYTHsqhOe6NJjE0HEQbuQHNhck8+sMAdLo7b8AIJhPdY+0Df7uzCuBr3NFnd/rrUaf3TEUelABr08p2Ef+eMyIB5B2lAshQkxO4TlbQOFPZCPnaV52VozBqfCVVDlOwlzxwFq5wgiN6rU5Xq3mdAOpBKtQdEnMcs2xARDABnLVVPldfyaPknLjoe0yU9MejpaRVrFQJODyVg9UG9MaDSFIzQloTRcoUUVu0rBSuYQT4PC8PcoKWwM9Js0OhWACjNDhSvX/AYYJAyJ77ZfdAAAAAElFTkSuQmCC",
    about:
      "there are three players and a player in yellow kicks the ball on the left and a player in red jumps in the middle .",
    words: [
      { text: "there", boxes: [] },
      { text: "are", boxes: [] },
      {
        text: "three",
        boxes: [
          [31.2, 7.3, 47.3, 29.2],
          [38.5, 31.5, 54.7, 53.4],
          [6.6, 30.2, 22.7, 52.1],
        ],
      },
      {
        text: "players",
        boxes: [
          [31.2, 7.3, 47.3, 29.2],
          [38.5, 31.5, 54.7, 53.4],
          [6.6, 30.2, 22.7, 52.1],
        ],
      },
      { text: "and", boxes: [] },
      { text: "a", boxes: [] },
      { text: "player", boxes: [[6.6, 30.2, 22.7, 52.1]] },
      { text: "in", boxes: [] },
      { text: "yellow", boxes: [[6.6, 30.2, 22.7, 52.1]] },
      { text: "kicks", boxes: [[6.6, 30.2, 22.7, 52.1]] },
      { text: "the", boxes: [] },
      { text: "ball", boxes: [[2.3, 47.7, 5.5, 51.0]] },
      { text: "on", boxes: [] },
      { text: "the", boxes: [] },
      { text: "left", boxes: [[6.6, 30.2, 22.7, 52.1]] },
      { text: "and", boxes: [] },
      { text: "a", boxes: [] },
      { text: "player", boxes: [[31.2, 7.3, 47.3, 29.2]] },
      { text: "in", boxes: [] },
      { text: "red", boxes: [[31.2, 7.3, 47.3, 29.2]] },
      { text: "jumps", boxes: [[31.2, 7.3, 47.3, 29.2]] },
      { text: "in", boxes: [] },
      { text: "the", boxes: [] },
      { text: "middle", boxes: [[31.2, 7.3, 47.3, 29.2]] },
      { text: ".", boxes: [] },
    ],
    things: [
      { text: "red, jumping", box: [31.2, 7.3, 47.3, 29.2] },
      { text: "black, jumping", box: [38.5, 31.5, 54.7, 53.4] },
      { text: "yellow, kicking", box: [6.6, 30.2, 22.7, 52.1] },
      { text: "white ball", box: [2.3, 47.7, 5.5, 51.0] },
    ],
    questions: [
      {
        text: "what colour is the shirt of the player kicking the ball",
        answer: "yellow",
        boxes: [[6.6, 30.2, 22.7, 52.1]],
      },
      { text: "what is the player in red doing", answer: "jumping", boxes: [[31.2, 7.3, 47.3, 29.2]] },
      {
        text: "how many players are there",
        answer: "three",
        boxes: [
          [31.2, 7.3, 47.3, 29.2],
          [38.5, 31.5, 54.7, 53.4],
          [6.6, 30.2, 22.7, 52.1],
        ],
      },
      { text: "where is the ball", answer: "left", boxes: [[2.3, 47.7, 5.5, 51.0]] },
      {
        text: "what colour is the shirt of the player next on the left of the player in black",
        answer: "red",
        boxes: [[31.2, 7.3, 47.3, 29.2]],
      },
      { text: "what is the player in black doing", answer: "jumping", boxes: [[38.5, 31.5, 54.7, 53.4]] },
    ],
  },
  {
    png: "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAbzElEQVR42k1aCZRddXm/27vvvnX2JTNJJplMMslMAiEsCWEJBJcEFLCVQj3SVhT1KGrtqVZbrXo4R6uVniIiSC3W40HaI8cUsa1FBEI2CBCykklC9pWsb97+7n333v6+7/dm6jvw8uYu//+3f7/v+/7mtT+4pVwup1KpIAgsyzJNM+l5tWo1xscwTMOwbdvQDy4kEol6vR5Fkeu6eD6TyTT14zgO7uJdrMCHi8Ui7uJhz/PGBxZ2eG3rD2yWxZPJMAybYYhXwib+DW3HifBt26ZlNoMmtsD6YRQ16vV0Oo2l8AwuNnwfxOFhW7fApobSZl710I3YNQK1+M/EEgHfwWa4hG/PSzm2Xa1WHV06jiLs5CbcoNnEXb/RsLCkaflBgMewJYjGuqGSiN/ZXG7A6+1v691+ds9ksQiJkFtQkM/nQZaXTFYqFQgr6brlSgV/gozA97EU+MPzkBQ2wtag3k0ksDJex3Z4UqT21PanK5VyOp3xfR8b49t1EypIESf+JCnYD8KD4KEuPABGcAXv4xY2yGazKtYIz0OZuFgoXALneBcacG03DqOKX8Vd3AI1WIdi4iJYGaxCx1gWr+M6yIXU8YyITHWLF0EeSMXDuEaW8IC59LsrwSuWhkShBBCN1bEczclUfUEMZAZy8rxk4AdYFcIQctPpWq2GB2TdOBbxRJEwrGxDP1h8bvvsgc4ZG97ZYtk2TAvrgxQ8VlVD9VKiYZALZrALLuIbEpmcnMRjtA5bTUB4azbxXW80YuVQLGXV42tL5VIcgTYDS0OneAhGYls2xQDFNVWJ4gaGkRDimjBSLK2Egm2RJf7ENiACz4P1phoYlAMGhjuGYEK/3/sK1o9VzqEaPWwSK9N6qRYIjgrBarAr7M6LYs8QLvgxW3aB66LPhGMu+fZyWQt2qRqE8eF9MW44DbSRTDrqxBAzfmM/2gBVXyqVoAEKA2s16g04bqPRMNRwaQP4zOuc053teuvd3VgkoSYHAZmiV+EcpIAyuCyIxSXsS+/EFjTOSD/TgUSM2fOwKe6KE1/+D9eKm7sJCBLuCJ7r9Rp8FILBAtBXNCWwCvxYpRvrB+yBVRIKomlvsqhaHVeHO+LP0d6RgY7+Fyc2MI5ByUkNYvKGGo9s0WxGansMZVgQ39gXBIBtEAYbEbOEEsAbPNjz1G0MYUC0r4KBWSMOJNXDsDf4hZZtVRkDqFiULAHjSVQrFYmgYYjnsRw0Tgts+TRsybapaJjQUN/s53e/FKtH2ko0HdRQ02Tw4Dfoy06pkaZRrdVAt3izEGWmPI+xG3dFcDc+sQbxA/pUH5KlK4gzSeHB0gBJxcHoZcs4gq3A2GiseKW9vR0Uq6jS1WolmfREgSICMxWbcxruXq8xPmO0zc1tOfaGeJopRFQqVQjLEmnaqisHG4FE9StIqqY+jVBuOLhlW2QPT0rcg++4IBKRV2Kguepf1oIPvABf8v0GYh9sjyxJBIggMFGfeKQyrQYjkZ72QOpxl0L1G37SS0pqs53b3MG70sNP1g6cbc/15Xte3r/JlMhmgGyJ914S22NrJkzcgNSCoKniiuH6hcIknkGGUdnH02nU0g8MDdFcQsW1j96CsIsQL0qxbMksnqehQj6+JBoPZgFzRyBmSIbAeBeKwd5gWzKoK9aFuyIOJ1Gr17q7uh8w541EqaeThUo28+qh181jVbvTa+RN3cLkLhCW7dhMNYEGCbChtq5JPRbmsCYIQMzAmtVaVd1SHCaV8szlj9wMreGKox+IIwh8EfmU8UDnoixbwpR4px/YklIQ0cTJGn6DIslmsqVyOZZ8aYuZxWJmfV72q6klXmi+ePxI4UShJ5F8ZceBk1elkuPd2AJMImqBAUmBkQRi/FIHE2YkOlk2fMmXOCFcifLrdTVvU3loJt2kaAD6Qn6BEasjwmsleoB4rIINyuWKur6ISQxGcEoMP4MkDI16WBcShZDoyiAdTgw+EVjxe+h88xtzV739+t6Fy0Zhe6culr7x0vPWB2YzyOAbnKiwRZMQM9YE56BM3N2x63UIyKTpYnEKjgINmhIAzZt/chuTkYSnJtKA5AHmNbwPUxNAJllWzImJPZfLIU3iGxTUavWEYhuYEAmSSMAEJ8FUkuu3d2Wsot+39hpwOHHo2Nd3rE9cPwCBgB9RupACOChxBhYIZcDA/QBycU31Q2yhBmVrFDI0zJoa/wTkmTf+eA1FBRGCP4Ff2SzyttzThEVXQzxu5ZFA8jRWAbcMfIKjYPeuK3ZoC+mwQ+wBUrAxdLty6Io/e2hzaXRmc2b30W0Te8fst0azIACGAafH8xJzgmYmm4USYDnYFGsWi5P4rdDNQOgEXGB2QlrIpNMSIKE9WPg1D9/EPKph3tU4bRGWSJBRSwCVBE+QKGyMOUjsRBC4TVQMFcHecAUmBvlhMzKP14fbh+7+xcTiXWdBBJYqdCS/9IVhaIO+CHVVqhX1yHQgcCtmHsSbmgokOULuMAeN/Y5GMtNR5mHP5pXfvwFeIh5jToV8zdLACJHCQo1gMQOlrB4b0+hFUq/vC6EiAxEBYiiUwCQFUSHnw+0un734vid3zXj7NIwTYDadSt33mcGKKxLBi4rPrVCxE16chv5gCStI2aCQFkbb0dGBB7ACZAej4L7m9Y++D86BJeoAKuAjkYD9QJaQA3Mwwh2CgysWIokGLGl6M6vP7Ftkd/r9qZMr0uScpUmgMVfAkhHjRfwem7Hw/n/bk3/jHYmewn/0iU8PlFMCSDXjC6AgtiUnBBeS15GP4RUCLq2mYhY1lgTMUgOhug00wPhNH9cwL/GewiOgYP0l15GeifN2FD5ozrj7vStB5Xe3bdw9O4QGwB6WZhlF++GPy2aNf+Kne3p2HacI8Prmu8aeGNHKqdkEnIbk6XXgFuYE6RCEOromvpH4HKXN0HqISMnkZ/k/30ykCkdkOSK1j+ZtEg1tEM8puLAI8tzdpa8uWL5gVj+08csDu9flz7LiIZaEpOGasFEWIosHF33sJzv795x03SSj09Evrf2m8w7TqpRXGvpAA/iBd8LxYAuOQh0B/VFkTYUTsXBUHaJeQ/3LMVc8vBqEx6xFtMKyFMfD4OpQQb2RzWaaGg2Z9sGhhKxKffU7M++/eez4uUuPWvtPRFVwEigPEgBUS2A7l89PFgpXjyz76GNvDkyc0fAqgmj87Yd/45z7+bm3bRUwLAQ8h8KbCSSmWV9gKY0ZpiGBEZhUg6hBRK31pPg3KjIFQjHBJkmEozC/0gyYGuFS2EYwoO9f2v4R49zawC/bTjo58/nMop9T/LTdSFxcMA/VPb97+K4N5xc9tx3WAuke67DPfeX2Ht/8u9JbzIMM37A97MseAjZCaKF/Y8Hi5CQFB8OOVNAQFn+YV//TKuwBz3AVKlGEIqep8pKVBKOBr3iw/u7is5s+YyvYxVtRszS07Oly7yua/C2WB3D9SOEKdD3cPjsbZa/73qbxi+dPuclfXNczsdTwEm6ocJKal8ob6SgSoRpaoEo1G8cVBe1ImgmNLi3I6PtseYjfX/G964g0zSn8jS0jzam4mJjaoK2tDYEM6/aeWxUdu23Xma5AsTtWWTn34vfe//vfVo7/T+34+bBOO5ToIS8i5MTjAwujA+a2X76NP0Bf+4J8am2rAMDrJIWRhzuySFJja8UxuEQwlYvY7BCFSxYygYXeAxdFKAPRUkDZigUSjvYdAiI5KBT2A8ruSMy6ojZ+37N3RurXWBcOPbr41Y+MTdyQTVxyor+6uAV5Oo2U1JRkVy6Vs7ns/M7hwc31q/vbH3lx/+3jvUANT/UdDz2UEF61WkP2hfFAuqp8hPwk4YK6hARZBM5iqYjfuVwe6IMYGQ8DJgNKCphjfaiSSyAWZbLwmyrsLy2yqTG2jjj5e4yZc9y2v9961Ss7R/A+WIKouoaP9a/6IVac67ZlIutgog7LAfWSfZKeIr9otGfktiO58b7Ug5t3fP7yhW3p5McObzK7DeBKBIlEq4UhOgGGY0rxtNGGi9IBUQCGh2vVGpMpgQJiGvgxr3vsvUwuShNUI2hCylBLSk/IGFGoWCytbh+6Ne5bFxz/1a/vj2tDzalSeHD1E5kZe0OtDZhAGHwhVLZ3QNCc/Kx7K539hv1gvPfjwZxZqcxXgp0VJ2ZzQXNqKL6EFaQgaWjkQOKXLgHL9HKpJCGTpYJ2iCAahH0wa17zg5u0VRSxQRC1qn2BHIQVEg1zeaoCW57a8OHgzGq23BLhnrbx79sjYniK0UMSBJOTWrZaU8VGY/2jn6x2thvO52uvf9pdsMjOP1jfdcgvwlp8raHBPnwMctXmgLgiNAclTNswWySSsxVLS1NHSxJpJkID4hyibHFcRXwRc55Go0j9IZLmoS/l4qX/rZdPf6zpjhn1g5na02Z43pgV5W7w3E6gV0vrwxhWi2pB4iOgXhQt6B7+mjlUrpS/GO68z5m7pJF+xN+3PbgovUHprDRZEuBbEF4csafEGt3QSKXEhEpxzMAoWVIq3tB878/uQKkGl6hpgQI9IGap/KoSkhW+AZ8xxTZPRaVnGwLXhsLM/NSF3092uZmHP75i29ELT80+QpSqrcgEzReGa5v24Zf2/+eae96tVT698b8+Onf8T+eNP7hj40S+nhtoA9G+2ro2XUM211QKBlMnKwQaNjtoEDSCBJIsOyvixNiPCEybyUk8wrpBZKPlC1yiq2pcnu2ddcIb7u7++i9er76/7vV4dmi3vxl99+blbx4594P2CZBgKRTXhpobabEPDSTOmf3p/OHyadgKTHxurutI+WJ+RrudtBln2GvRXkmYkhTmg4Z0OjXVbYgpPomPlo27LOqlpYz/V/zwloQWNDAerRK1UdOqssM2J3lvYs6Ikc2aCcQWvA8+P7t+feMqVzvj9lic+1xy9LXmhZ/FR7WhC+vHlhFLBRgxMuj4jIX5RG7T4ddClTNNNOWlUBN7XkqIU5ErZTbAdk0bM4Jno5h4G/JGulBWDe2yWa0mJGriqx66kVCkVq3CR6B37f/E2jO3Lnc7v9x+Od481CztqpybmJyceLcYDgt0FdQZxyvsrge6LvvvyrGfF/fDsUwNgoEWGNiJrYQrh5e2J/Mv798kcSLpSmteW2u+YjAmJlM7UKwSmYwZD+DcMGZqMlYwS6Wx6hc4DQZgIShfLK1OJFRx7qAdMiw9bOeO+8UoKeiqLnE2GWjtzKz+weyce9tHf1k9/MylA1jYmWojYwPsff78eRA60jW3M92x9cRb0IxEFU07WB+8wT6Bf9gQEQ/UolSCitZMnGIQ4bMIBp2BQmbhioFp5SPv4RyFgwlfZcMxB4VBprUNFHnSeKuzPDB0gnCXN3RnfvhfS/terp/mY+w5B9pXpU+P9o705nvW798kgw+th6bHOZpwLPLDoh5kWtpcgq7gCSlVFHEHy4MW7lAbkVeAhYhD2A3H0rC2wuRkV2cnjJ7JjzKoFMqFty9IW7gZwPjADwxp9dzRP1o0/iv79Il6kTYjgtCOPLsy2HtBz7wZHf3P73oRWJJdtWKphDhF8CfoutHAK4a0NlzSxwIND0hDOyEDFzDmC1dJjiAkNig/5vKHV0c6qJKpTiZ96VLB0/Z6qHAH9qqYyRJkkU6fOXCKKZaDGfZR3C6P9WRS2/+hgvXpUQU+8zrmDHT2v7hvo2bQyJoKO9Lj0CkN0oukAkXvbI6E02gyIejGJAEodDXPykV8s1OPkhI5Txq6miAgA7zAqMoCjXMhRAaNTA6hL3ngNhQV/xTfSrqqzCbnOqAGJtSV6UQUgtwIY8gAA6jY5qQ//+24frp0ps8Ir+/RRWQWAbrBM5TApnIL2ymdDVWUXFn+8M1NBRi0M+Zgki6pTmmCWbN3wmaGwEa9jifT6k+GtpFZmsA1sQfUiOsgDg8Ptw/1tfX8bs/LuEvHoIAaGt1B4q1nOv9kbBw2/di6lzbPqUWDKfbWpZ2sImCGZX+XrTvsyJazOLGwyJGTBgHxLQXctlqeoZFOagig1HJluu3BQEaJ2jozpeq5E6unUAc5iwcWdabbNxx8NTHVvJkGC/gAbz9QmXNF/wDizu+27v735Klwlsz5LEFEIfmESwTa+22FTh3XgmyR+OonPwDhInwnRWY15nPjD4YOjMeOtEwkENEAiJaRX0C8q9Md9g6wDo17Cp8LjprfNdyb69568i2gXQI+oT5ohvobilrp5/+ifcywnHUTW16Ya3NMqipvsoUqjbeEUyhMIj0brWGTZFvp7F//+PsQoLRRbnCoqgEroRM9g3UwO+YJQSkRV2RKT0j7TTKuUowavAbQwjJXTFEH5XgSNXGH1775yFa4B/QONIFb0KdUp7U6IsfXxvYuH4yKxUYqZb16Jv/0oc53SmkUOngfSZeDLHEq00D0A9uAsDLwNgVayIBDA1NcqVZzuayyjjwVtLVLCoTUXXnf13ljJlCUYmuWBnHgrVQsRYoQQXpxsoh40soG6nPq5eZo90h3tmvj4deAWcAY9OCKHQrqtv3i31zRXDn4rvT06dn1Oed2vO9g+WIhaTxa3wdamLNZ1kz3Iyho8YEbn1jDEgQyLsvEW6IkcSWTC0cMGry0fatQR1Jj0IxklALIpamxUoFOpcttEc+hqG1yEVRkWSu9/uBmbWBamuwl4SyzO+/vG+ju2ZMd3Id4re0q8/ylzqMnll0soL6zv1nc5iiY16ZQQhOojyrH1XEMW7HmDT9e05TlILZQKZbxjqRSLWqZ4+h2Eli1n8qheUPCEVMyomEEHYTapnc070BLFXEJ+SzqXYAo9NqJbZybQIeZpvHXucuGnGwhnFx447Nh2OBkCS9+6sX+4412olrsWCgUIB1gvkqlzMk2R5fYSGo34I6rH17FuRquSqs5bEIYOv4xqrUaBMw4IwhCr2s7DxBAhuxAlNpMj5mwYG9s44Afdt3YzV08Y1FPrmvTka2MCnCxnJX4XHZsc+1Mbtahv1zyLvxV6ocg2H428dU3hzn10Gzlk1xpnxhAGU0ZC6nrKyOR9BuveOg6DsRBvdaN0pkDrm7LtwVa0XGQKntr2QElAoGx8sTG0BtHOxryXdaiMimSECyjPrbXBzsHXtj7cqtlrzhKtWF9dtGJtbMm1W1iCPpH+2b/ap+jCYtBTCYbMjdKCujAaoh7OmtyCOQQ1qWk5DgVtqXBSgGcLeMq6EgSR2yktLZg5wzRkxSEEo8NRjAVDFjyRadaZ1hyUqEVkQEl+vK9Gw5tkfzopaRrrZGxtKv6x4P+A3ef1JLaKAfO3S/MDUJDZ0pOvVYzrVanmf6NtxBIcB2ioWcLq4DT0084MtHw2dwNtc5HjEOk0/GonKyRoYEk55CdD6IrtiUthU+wVuQdR9Evz29gGSSydi+/5egbrSM8hhmejVeVZ/7m+f3ZXNt995y5c0149rz5+Lb0W2bWVZxjEuHZtqdjbbb4OTriKSYsK56AFS/7zgo8NI3Mpjv9bN7DfvI6CwNAgAYIeMgha1b2sVtt/qleKifHnLaDw9GeeT3Zrk2HtxKH3eTNuNOZ251OPrP58JMb9+SvThfWV+Bg3pWOs9RgnpluZrKKb0rmsdiWI51iCylP5l2AEtMAkMdkOLQj5GBfks1TyBtL6NGgkC0QgRvAeYo6BYQXCpls1hYkUoOYmYDw5NKhJShoACWuzcy4PT004uZxdcs7Z54+dbC0GIC0Ofe1tgdWLX5q577Xhs9Y2hIlLGejVvpFtoBtogkQgJTFUz9IO+a1WtA4KnKdQwkD7O0wP6hLSJPL0rMcnmL66VZ2q6c51ROoNxrQGL4NrSvYkR+bMdqV7hguFG8xupNJb0/t/HO1Y7ujYl1nULC9qw93P3DV2LqdB9cNnmStx5wlo1VNrzXJ8agEpYNkakz35FyUTOYFThMblcolR0fYdA423kgWgDjNjuBC2rECLhxCJj4WT1WARH78gburZl3359d85GTx1PMvPP7+3NBz5SObm+fBHk874TGstizT98X0oo3FU4/VJjh2mR5ntA7GqbmGekoNW/MEEM8rmMv+8fr/r+h0UgYZ4z38YLiFUWEPHgNEpQTFwRlo94LVtLSjunmogacTmCkRx377iXV33nrHt771rWcuPrfxwJaMTMhbVR5kL95v20s6B75szt8bXHqoPlFXpXmqGTnigAge+IJc1LU48GNZG2kxISMmYjgohWepWgWHFtpQ6HTv2yVQcxJMW6xFoDNgOA6mJHdqtUGrMzUG/PSeH235zaYPfehDn3z2CyeKJ6WljtiVSAhMVC/Eu+nI+mHHipPNypcvbqWhWpxsqwYMaSYIz/ABMWw5qJXgQcfWkE9KbHUdRgkWHHxTUg9MAhW6jkwEvqtls2tgqSptBT9iSJ7UohxHR0yVUYRq+MPjd1ysXvyPnetEOSkv1JM7QaFePjzJ3IyQ8uvb773kNz718q/7lg0ajslzciktFafLQz0iYrAobc2SZVL/xBqgUx604fERWg5Ru3it4P5GoO1VnnaCFYF8cSA9EKI40dCHfUaeP3QDXEc90JPt3njoVZOHgnTSD6mVTxWl1tPTHmkU37EMOHpH+pB5EOoz6QxQQ7VSFXp0ggGyBVl4KTGhZLI1QFj5o/fImZyp5rhOQSSrA7fRS9SNHAV8MQtOtUJEXjiWTE3gEprFQuJWnrOoCRZqdW7G+xdm7PQbp7fTlGF1miJMTuFZ1hFjCmNAK82AR6ZAIoI4YRX2QqHDoQliV0KPFki77qaf3CrnJlWYPEcj7VOpgx1WPXh5crKYyaTZ5Gl1X7QelcJUyy49RhmzRKKHgdaGdhPAwZLBsbTlvXF6B6lkj5/HllCg6GnOmFWhdlCkI82qCMWGGL3ywxSGWkLCQLWiuEajECoyrIJwy/YG4SZ+AEK1JqqavwgtW+fstB3PngcP7UglYPAoY8SciN/QNTE5sFBXunPz0a1y7rgZBlKjpOpa0cJ4laAa1SVqsWQCQAdlm5mjJzkVqHUfkKc2bEwiC2nusmQ21T+kjSE9V4/n9TSr49GM9BocnTlb0ylWxiqEN1oGOHiGvS32qhBdtE/qL529JGOlXzmIGJqmDmkqWuYWmBnpSwSFeIynJKZagxLQgqmihVNg/G5HzVipigmBD6A88Ci9CSehsV+qAj2NZRONsNVOK5LErpjMlzpTXIp0T53uNPVPl+MtyPjKOUt7ct1Ao/CuUEOhHDfX8lz7Vj571nA8XIHeLly4QNNVkYViqVpb1xSfSpCQ7rndOjyHekAnGjC4ImtCnZd5HLQEU2d2OfSchm7TrQdf8xpPSlGQuqpmxrjVRZvfNa8r1b7l+Bs8tsNoRtgnMMQPWrMWkzjcYr7XAksGZFUe1BKPh2CbWhtIx6WhJ7wkjOrpRJld4ikBczJOS8BRoAQGPpnQBK0wGqu4WLJhvWxGTg3h7vTBRVpIQ9t7cuolimfnZvbmul/av0FSuC9oDHXJ9IEiDl0ISdgdJCqxtKbhOSoN0wpSdLIET+PsA1f+D7Ky0/796O9HAAAAAElFTkSuQmCC",
    about: "there are three players and a player in yellow kicks the ball and a player in blue runs on the left .",
    words: [
      { text: "there", boxes: [] },
      { text: "are", boxes: [] },
      {
        text: "three",
        boxes: [
          [28.6, 8.6, 44.7, 30.5],
          [10.5, 14.6, 26.6, 36.5],
          [36.3, 34.6, 52.5, 56.5],
        ],
      },
      {
        text: "players",
        boxes: [
          [28.6, 8.6, 44.7, 30.5],
          [10.5, 14.6, 26.6, 36.5],
          [36.3, 34.6, 52.5, 56.5],
        ],
      },
      { text: "and", boxes: [] },
      { text: "a", boxes: [] },
      { text: "player", boxes: [[36.3, 34.6, 52.5, 56.5]] },
      { text: "in", boxes: [] },
      { text: "yellow", boxes: [[36.3, 34.6, 52.5, 56.5]] },
      { text: "kicks", boxes: [[36.3, 34.6, 52.5, 56.5]] },
      { text: "the", boxes: [] },
      { text: "ball", boxes: [[32.0, 52.2, 35.3, 55.4]] },
      { text: "and", boxes: [] },
      { text: "a", boxes: [] },
      { text: "player", boxes: [[10.5, 14.6, 26.6, 36.5]] },
      { text: "in", boxes: [] },
      { text: "blue", boxes: [[10.5, 14.6, 26.6, 36.5]] },
      { text: "runs", boxes: [[10.5, 14.6, 26.6, 36.5]] },
      { text: "on", boxes: [] },
      { text: "the", boxes: [] },
      { text: "left", boxes: [[10.5, 14.6, 26.6, 36.5]] },
      { text: ".", boxes: [] },
    ],
    things: [
      { text: "red, waving", box: [28.6, 8.6, 44.7, 30.5] },
      { text: "blue, running", box: [10.5, 14.6, 26.6, 36.5] },
      { text: "yellow, kicking", box: [36.3, 34.6, 52.5, 56.5] },
      { text: "white ball", box: [32.0, 52.2, 35.3, 55.4] },
    ],
    questions: [
      {
        text: "what colour is the shirt of the player kicking the ball",
        answer: "yellow",
        boxes: [[36.3, 34.6, 52.5, 56.5]],
      },
      { text: "what is the player in red doing", answer: "waving", boxes: [[28.6, 8.6, 44.7, 30.5]] },
      { text: "how many players wear black", answer: "zero", boxes: [] },
      { text: "where is the player in red", answer: "middle", boxes: [[28.6, 8.6, 44.7, 30.5]] },
      {
        text: "what is the player nearest to the player in blue doing",
        answer: "waving",
        boxes: [[28.6, 8.6, 44.7, 30.5]],
      },
      { text: "what is the player in blue doing", answer: "running", boxes: [[10.5, 14.6, 26.6, 36.5]] },
    ],
  },
];

export const kDigits: KnownDigit[] = [
  {
    png: "iVBORw0KGgoAAAANSUhEUgAAADwAAAA8CAAAAAAfl4auAAABHElEQVR42mNgGAUjDvydRIHm//8nUaL5HzL34893fqRo/q+Dyv3/DM4TztQmpNkFifv1PVBAFMy88A9k0n8p/Jpt0UUuA0mW/zBAYihchrr//89XQMKeBL2x//+bMTDcBepiBfLu//9fQ3Ik/IM69/f//wIka/4JDXNS/QwG+hVA4hHD8///L5GbgAzQkhAJQOv/PtLCGgVM//+/mFy99v//nyA7z6z6/9+DXL0e//93kG3xx/+v2cnVm/v//1xy9cr/+H8NRIsbkKH58v//dgwMYc/ICbRZ//+fYc5/+h+trCAKuMJKgn/7NEm2WO4PROtxOfKSV/+ObU2j1dooGGag5P//p+Tr/kdODQUDuv/+U+LyWaORNwpGGgAAMDSjmlhdnbAAAAAASUVORK5CYII=",
    about: "2",
    box: [26, 8, 54, 36],
  },
  {
    png: "iVBORw0KGgoAAAANSUhEUgAAADwAAAA8CAAAAAAfl4auAAABYElEQVR42u2Vu0vDUBSHr+IDBEEQHboIgpMuOohbcXTTpf+As+DkA6SD4OQoIsXJQRBHBwcVQSno4KpWXbSDDj46FDGapp8naRAEQ3pPF4f8IJzA5cu993ceMSZRokSJ/rumSk5xCz3fdNcAfM6hknw0gzgpJex5L8xpz4yoTwtXquCq7dr4oAGzszCkhmdgTA3noT3ptPrV+SQ15ujYHIFURbYp4OexC2l7tkPYBWO6IWsPF2BewjJkFD2F54cvVW94AXwGRQX8Ctc5D2VTEqo6rYDfaqg8S9bsmlBHrTJO5APW8I/N69gPb7eWquDyz9YjH3qCly64t4VTUtl+7JV0DVhf+kEaanb8Vny7sgMXfbNKYaLzlrseBE5f+Gh5wpJt8cI0Tabbfi2M8F7HqSMqepWbWHg7Cj5hN45tLkdtsM9lHJyBlb9XRqnEwTswHFnxbkE9yvvdRn7ZZu/UmG9SUM6WB4X2oAAAAABJRU5ErkJggg==",
    about: "8",
    box: [24, 29, 52, 57],
  },
  {
    png: "iVBORw0KGgoAAAANSUhEUgAAADwAAAA8CAAAAAAfl4auAAABMUlEQVR42mNgGAVYwZLvv//+/fFspj05mv/9hwIt0vXyw/T+tyNdsytQW1re1O1bGslwtSpQMyu54WUC1MxJrmZ9sH9/2JGl2REaXLvI0TwBFtiyWKV5fv6fi8fPf////wWK669Ypav+X8ZnNasNNKVglf31P5Gg4//i0vz//zVnQpqBer9jl/j3vwSHHk4OCP0HqLkaq4orXO449Eb8+18Jor8D9f7BriQOp2MfADVZMEwFxxTJqew8PEf9LyM9hcD1ZpOTvv6AtX4hN2PULfAeLYpHARFg3v///8jVawpMonnkav5CZs6AFVTke/n/BwkKNPtRENjHKI0tvtEEOwLA34/AGlqFXN0L//+vJ1dvzv//98l29pH//1spyNEvKMiU/0sp0SxCgeaLo8mVUgAA73a+m+844GoAAAAASUVORK5CYII=",
    about: "5",
    box: [25, 0, 53, 28],
  },
];
