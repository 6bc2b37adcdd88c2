import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { unpackXz } from "../../packages/machine/src/target/xz.ts";
import { hasTool } from "../elf/readelf.ts";
import { needs } from "../needs.ts";

const text = Array.from(
  { length: 400 },
  (_, each) => `{"ph": "X", "cat": "kernel", "name": "gemm${each % 7}", "ts": ${each * 13}},\n`,
).join("");

async function unpacked(bytes: Uint8Array, piece = 1000): Promise<Buffer> {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += piece) pieces.push(bytes.slice(at, at + piece));
  const got = [];
  for await (const part of unpackXz(pieces)) got.push(part);
  return Buffer.concat(got);
}

// What xz 5.4 made of this text.
const made: [string, string][] = [
  [
    "as usual",
    "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4FvZA2VdAD2IigbBg1N/WkpyFWQrPieaz3tobRnT8g1RDIgt3ygy5fzEybrDAyp4pzzWJGJf1AL0CX62iSrndrnhSqtETEN63FJOkYApKUpDBqcOcgpWf6E/Ss6+4vTFzZ2iDbBiH/d5s/h+Qt7eFi0MyP0Wv9YoozIf9x50sZoUVo7ZFz2+HCJmObliPkH39vEJTDSWcJd3U/AuWNlt/71C+lK4qVHB3kh3suVtA48u1f5wm1rxnXsnFZwUlxjMHGLnUnED0tzyYRqCrqBqpfZ7CP7fHXENWHP9TeNLY6jutss7mp5i3jG/WhvtWfyNzAnMFrLI1G88lL1SS09jKt2Ng6ZLPiCebfgig6m2xF2vVp4FP9WIRrV0wIJrQfOn64eofaX2WJpSGeu5F/kXIWB4371h39iXpOdi4slYHMhyHfz7xgRjnU25SJc7Ia0tw8qr5uwgSJXO1OwVwo7M40LdvpnxitTizB+Hzz44hT+cCzmiUNkeAtTKcUBMdc0h4k2YiBAei0a9N2xs22C9k0DMYjOsN4vEDbQF3qwonPUtHZlaPUb0uFRaB9gnxy3DzGKOI1jsopRzh09YhKXljzseJH+aj34jt1iteXdJtUyZQzelYoV/C0rt27/XuY5tH/YnOPE9bPGIk+5kfwxrRTEqJZmQPc/CZ72XtWGVqaYoVKbixHv/WNUpCW9HOlzqMxRvsOy/tBaSzbdhEjy0Op+qrRCXe0j3XPjPBA1s3YTLeWObAZhvPGy4EUBQa4xONGyLQPOPQOfTXxLyhXya0QjmiVBk7X+VpSCQnTlA+jG9W4+vtidjvivjliuTRYUO6/drCo9sGNTmlIUTJVHAN/XG5EzptD7xSd3TImOlyMb6rIHv0t+Rl/WVHKtHGKq1XLcxSfVH7qQENmcqFiO90SgAxWIPtaJjx+2MpWV+kBXrImeBDbhnPZHe9YbkbuqOW/TbI7SecikJjwFNRszLbbj4vp9PnK+1+bhVuceUnATX+bBg6/mPFHZ/KiXOo/Tc4xqhDooDMqi09ZWCjEMwR0Z8pxC9bH1acBbcxOE9oHX98r+vIeEMePpbLghiUmJg+9Lm9ZzjNlIJiNVTOrRYyNm5rffoM0pWcsFdfMsV8OZQbQi25XzIgv/bQ1LbD0nqkeyr4pISlGveiOUAAAAAAM9mBxm41jsjAAGBB9q3AQCZT3o0scRn+wIAAAAABFla",
  ],
  [
    "with CRC32",
    "/Td6WFoAAAFpIt42AgAhAQwAAACPmEGc4FvZA5ddAD2IigbBg1N/WkpyFWQrPieaz3tobRnT8g1RDIgIALRZiHbnXXK+ogl5FNT68bosCD3M7EEzZaoyE4+nnmmvqAg66R+0CMvpemMCRzmRITBHisymXHHgAgK+uTxK4+jz/V+k2f5m5FrP5KSYv2geATn2kfd65SD5RBLJ93c0oWlgZZvV4vyEiJI+lhVhFsaB+NheacHig4mvSxBtN4tdOp/KvDd94ZF/8y5Q4R8iQuhTUGFiKJFiq1ezYR7KDeKXS2pS0o3jYKf+NGIOhs/GZQS7zTvxPnuKK/dq2dnJ1FyL+EfaIurwe47VwpdNvyEOOB8hKd1PHja8pIv2dD2Zg+IwGoGORcWpS2jZ48SLiuzkXqF6Nb+YTunUhwsTsaoy+qmOLnRpa/BjcOc/pN4m5oM9GTwN3pLaEwfzdKlaikAZN8OEnKQFT7GODnLdoLxJsRYtQE/DypQ4CdjZCPKj9dQpAj6QNQAoo31na3pt7/GvhyF84YuVYbhf0mjXP0bGtjqdYOYREHMWMnoyRBJR+eYQ42IQgSO6i0hSIevJwiCyQ4C9pZsLuohuU4CRYPyTDr4exvUPPgfxagzQSDL1EajA7rSFhQO5BfTG4+8Y3E26Zz6HTfcTfj7RjLdULFAM9+d6cJu819SrSZE78wRDX3Kz/Lje/heScayzKZFyQVQ0bmLuf/x71qbeadNNg+IrMf8N/wNAkmEwQVvFXg181GBnXPp37GmyT3CReLWV4LTbBhV6Zy/q5NDGetBEve3v6VY27vUOMhehDz2vWmX+CSBKDEyIo/1uS1/ndFJHJm1nql4yyB0kwdLCtvBoq3zEf/sMIlyZOA/qn5RM7IkQJdsnIsU9gN7x3C3l6bPIgBiYKe7CpBtaztv1YKkpzsca6eCoDMyFR5xcTvEqXOG6m8BY2Y4QCYiT8NLEGaHLhz42Bt9C3m3yz7CTdZnOW0vYrjT5HimGCfY+x7WgHxHInu9u3SLeBExMH8hrADHKRx/iBAUAKtOYVEOdnJbzMXurqTFTBf8mIpY7hhjyNj9ZG2lfko9BYvZ4AmUCecehFEQXi7G9OFidDIEbv3xejaGWho6hKcrNq81ervpR1+qKLRF4DtOFK7eoTGuJ5ge8v6fTbOSh4nxSdUNUepr7b2+Vh6Oz1TQ/bPK2PO7CUFWqwT12lJPrRu3l0u9kvLICQUW9XcJPTO2xrs3t/g8kvyDaJ+YQvxh5VwAAAP4TORQAAa8H2rcBAN8r3Ak+MA2LAgAAAAABWVo=",
  ],
  [
    "without a check",
    "/Td6WFoAAAD/EtlBAgAhARYAAAB0L+Wj4FvZA2VdAD2IigbBg1N/WkpyFWQrPieaz3tobRnT8g1RDIgt3ygy5fzEybrDAyp4pzzWJGJf1AL0CX62iSrndrnhSqtETEN63FJOkYApKUpDBqcOcgpWf6E/Ss6+4vTFzZ2iDbBiH/d5s/h+Qt7eFi0MyP0Wv9YoozIf9x50sZoUVo7ZFz2+HCJmObliPkH39vEJTDSWcJd3U/AuWNlt/71C+lK4qVHB3kh3suVtA48u1f5wm1rxnXsnFZwUlxjMHGLnUnED0tzyYRqCrqBqpfZ7CP7fHXENWHP9TeNLY6jutss7mp5i3jG/WhvtWfyNzAnMFrLI1G88lL1SS09jKt2Ng6ZLPiCebfgig6m2xF2vVp4FP9WIRrV0wIJrQfOn64eofaX2WJpSGeu5F/kXIWB4371h39iXpOdi4slYHMhyHfz7xgRjnU25SJc7Ia0tw8qr5uwgSJXO1OwVwo7M40LdvpnxitTizB+Hzz44hT+cCzmiUNkeAtTKcUBMdc0h4k2YiBAei0a9N2xs22C9k0DMYjOsN4vEDbQF3qwonPUtHZlaPUb0uFRaB9gnxy3DzGKOI1jsopRzh09YhKXljzseJH+aj34jt1iteXdJtUyZQzelYoV/C0rt27/XuY5tH/YnOPE9bPGIk+5kfwxrRTEqJZmQPc/CZ72XtWGVqaYoVKbixHv/WNUpCW9HOlzqMxRvsOy/tBaSzbdhEjy0Op+qrRCXe0j3XPjPBA1s3YTLeWObAZhvPGy4EUBQa4xONGyLQPOPQOfTXxLyhXya0QjmiVBk7X+VpSCQnTlA+jG9W4+vtidjvivjliuTRYUO6/drCo9sGNTmlIUTJVHAN/XG5EzptD7xSd3TImOlyMb6rIHv0t+Rl/WVHKtHGKq1XLcxSfVH7qQENmcqFiO90SgAxWIPtaJjx+2MpWV+kBXrImeBDbhnPZHe9YbkbuqOW/TbI7SecikJjwFNRszLbbj4vp9PnK+1+bhVuceUnATX+bBg6/mPFHZ/KiXOo/Tc4xqhDooDMqi09ZWCjEMwR0Z8pxC9bH1acBbcxOE9oHX98r+vIeEMePpbLghiUmJg+9Lm9ZzjNlIJiNVTOrRYyNm5rffoM0pWcsFdfMsV8OZQbQi25XzIgv/bQ1LbD0nqkeyr4pISlGveiOUAAAAAAAAB+QbatwEAhelr7qgACvwCAAAAAABZWg==",
  ],
  [
    "with SHA-256",
    "/Td6WFoAAArh+wyhAgAhARYAAAB0L+Wj4FvZA2VdAD2IigbBg1N/WkpyFWQrPieaz3tobRnT8g1RDIgt3ygy5fzEybrDAyp4pzzWJGJf1AL0CX62iSrndrnhSqtETEN63FJOkYApKUpDBqcOcgpWf6E/Ss6+4vTFzZ2iDbBiH/d5s/h+Qt7eFi0MyP0Wv9YoozIf9x50sZoUVo7ZFz2+HCJmObliPkH39vEJTDSWcJd3U/AuWNlt/71C+lK4qVHB3kh3suVtA48u1f5wm1rxnXsnFZwUlxjMHGLnUnED0tzyYRqCrqBqpfZ7CP7fHXENWHP9TeNLY6jutss7mp5i3jG/WhvtWfyNzAnMFrLI1G88lL1SS09jKt2Ng6ZLPiCebfgig6m2xF2vVp4FP9WIRrV0wIJrQfOn64eofaX2WJpSGeu5F/kXIWB4371h39iXpOdi4slYHMhyHfz7xgRjnU25SJc7Ia0tw8qr5uwgSJXO1OwVwo7M40LdvpnxitTizB+Hzz44hT+cCzmiUNkeAtTKcUBMdc0h4k2YiBAei0a9N2xs22C9k0DMYjOsN4vEDbQF3qwonPUtHZlaPUb0uFRaB9gnxy3DzGKOI1jsopRzh09YhKXljzseJH+aj34jt1iteXdJtUyZQzelYoV/C0rt27/XuY5tH/YnOPE9bPGIk+5kfwxrRTEqJZmQPc/CZ72XtWGVqaYoVKbixHv/WNUpCW9HOlzqMxRvsOy/tBaSzbdhEjy0Op+qrRCXe0j3XPjPBA1s3YTLeWObAZhvPGy4EUBQa4xONGyLQPOPQOfTXxLyhXya0QjmiVBk7X+VpSCQnTlA+jG9W4+vtidjvivjliuTRYUO6/drCo9sGNTmlIUTJVHAN/XG5EzptD7xSd3TImOlyMb6rIHv0t+Rl/WVHKtHGKq1XLcxSfVH7qQENmcqFiO90SgAxWIPtaJjx+2MpWV+kBXrImeBDbhnPZHe9YbkbuqOW/TbI7SecikJjwFNRszLbbj4vp9PnK+1+bhVuceUnATX+bBg6/mPFHZ/KiXOo/Tc4xqhDooDMqi09ZWCjEMwR0Z8pxC9bH1acBbcxOE9oHX98r+vIeEMePpbLghiUmJg+9Lm9ZzjNlIJiNVTOrRYyNm5rffoM0pWcsFdfMsV8OZQbQi25XzIgv/bQ1LbD0nqkeyr4pISlGveiOUAAAAAADkqkX0LszBKOmpjr7IBjs5R2GyRLkV+W58qj1lg2Lt3AAGZB9q3AQBvz//btunfHAIAAAAAClla",
  ],
  [
    "in blocks",
    "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4A//ARZdAD2IigbBg1N/WkpyFWQrPieaz3tobRnT8g1RDIgt3ygy5fzEybrDAyp4pzzWJGJf1AL0CX62iSrndrnhSqtETEN63FJOkYApKUpDBqcOcgpWf6E/Ss6+4vTFzZ2iDbBiH/d5s/h+Qt7eFi0MyP0Wv9YoozIf9x50sZoUVo7ZFz2+HCJmObliPkH39vEJTDSWcJd3U/AuWNlt/71C+lK4qVHB3kh3suVtA48u1f5wm1rxnXsnFZwUlxjMHGLnUnED0tzyYRqCrqBqpfZ7CP7fHXENWHP9TeNLY6jutss7mp5i3jG/WhvtWfyNzAnMFrLI1G88lL1SS09jKt2Ng6ZLPiCebfgig6m2xF2vVp4FP9WIRrAS8lGmAAAAAa2+8LiNQH8CACEBFgAAAHQv5aPgD/8BGl0AEAiLB49M9PGZNjsFBZqLrye6pxIKs0tFpWSAspwcQS9g/IN+O9g6aOBpLQR8516Sje7b559Cje1oYo77cRh6NADNvb7E1JODlgZIkwXHQQo8jkEuu8RnWVP7IfxBn+pf/n3MLBQJgaQhWFZknRMOYje0Av0Up6f8BJ9MztQi46KSHyTm+FAoDfFUtCuY2Fs3f6HflfX3vd/4kD36N9qTNgL687hMXzX1bfjj287YNapVQz9tij6TseR0QNsdMvgYI2MEpREXIO1hd+PrbBbeUynU55l4l0sEvrbithjgqI/vl7rfBzXdaSKpzQ3cEQcZcX9Q+4h+as6NpkFH64yzNeEfusYmrKqJHZfF1adV6xcrQvL5uNQ9PVUAAAAAtx8HW2yW7e0CACEBFgAAAHQv5aPgD/8BH10AEAiJ5vozWvJw/Q1vbIavn4RDETctJK09FBX97GPRoUB4ltE8B1RYXr63A9OSZ5FIiUglEtgs2q1pvlvdYk2G288zxXlaMGjb87JPJohIvgYsI+GOzejHiFLPeAK6FXptKk+2/TJR75y8sZO+GojmyyoagxTMYWF9dC6uljID+HL/Tf9QL9RPeQVcw6WZm8lvBshGZuuiY4ZXKuUltVpRb6DU6CRSFBsXui9ptq2SvO98cY/SH7HhfIvlWnlCBR0Gx5JUQ/dK9rL458CYTSfYGThY4q83ZEEXIEtMR2CoXjrkeiB2OJaSZ8mOLdMds0hynimp0DVPxeAV/Yvo3GVyWUEGNF3ZaeHE08BclZRGEnpK05ZLe3n62xbrsHlJsocAAGxorRmFmDaKAgAhARYAAAB0L+Wj4A//AR5dABELACF+Tz5CtCs44LZ6X9/+QysxJMDuRnGeaZ5lpBu3aaSPanbzJrrsrTkkOHP5/vGrwatCzhh2h2HSjJ804Rq+c1FRLK5pLE4dD9OlaLe5wmNxYUrSnLZQ1utvP/aKdKHfgUSp8S4XCLi4t4bXTwwqVjM5TdUILccvf1LzSk047T9jPnndwkrl2inKcO8GPkWH9q4YU9FTxT/pXjOdpSWS7CvjOOgKa6Wp9Wl7dhIJ250v+/O6yuzireZ9mNjrRmkL/51XdDJagIgqQsMjFY7zSwLAxSff8GJls1GMdFw0Ju/T++JbcQr0tFMKfA3a4nYDM1D+Yt8LacGF7UlGcnsBJt8t/OZs6EGbNIuP5N92qDav1+iqNC38xspMqYwAAACyeBUgwINCRgIAIQEWAAAAdC/lo+AP/wEdXQARCwAhfY1ax0qpM8Bdh3mIB4Yuvaj2c/unycOhB1/GlwR5yzRqkAHqFe+EV7nM7t0/4fTI+wFnCzlcjSvSH9Ep29qE82GrHMyp6JYdNALlTqsaaWmm7KyGjDQLr5hXQ5K8gYBtCEPwRp1M2ViYwBsf+tekBollovFyypOHuvZdvsMTjvcEX2ND/YqiERk+k6vZL9cojXrv2A2VkS11tZ+WYy5fj8TOSscupJMOKej4XqoHfM2yEpbNskoDq2dwHxML6l0yHCcVVobmrhQ/9Q+2CCX09ll626EPiX8YzyVyXRwN2dqhTFGASy99ntkz9oEvEYvkOh5hGbSc9i+JnfwWJpx+TcW1xnZ1gjITCajfKdHGRDQLUtZkiyby1QAAAAAACSbRmlfeZXgCACEBFgAAAHQv5aPgC9kA9l0AEQ6AIWi1ztAST82ErNGtSnUXN9jPaagDIBt6cG97jOfsk0jnyXyr36SY5oIV1RhfjwGmBaW2PbKGsfmidtw9ozp7l23FtVFBcZX0U6QT05nDDnfOsuafsRgQKAnnIAElMXO5jH7I6CG8688V3qS+IIYQIDJEBhltL1UrMoyOPVzu6zaUZmcHYrwE7Daz7sMvVbh0GlV6GyTe7DpIIRk3u1BYYL1UdCVmiPm8hS8kUc+VFL/dSTaakRfZPHffFSTtNEnNDbplj65evTW8dL1Tt/fExGfPRq9I8vOECmMhGPc9U9RdBwqkK9JgBnwxQBjNJD0Now4AAAAAh4dQEz+HoZAABrICgCC2AoAguwKAILoCgCC5AoAgkgLaFwAAYENr0gJVqqsHAAAAAARZWg==",
  ],
  [
    "other properties",
    "/Td6WFoAAATm1rRGAgAhAQAAAAA3J5fW4FvZA8ESAD2Iz1soQJYf0RpAmd3UsmYlkz4QCBY47a42N8zZfPlwFwAgNefT/hRvbejIweXNTBodblQptPqUVT7/YGgVO4WKuv/pc4eW1/XArqH93Kk5xvAyB4b14lRpcEvJVR3Gmu4yjjABe4hDI8XAOYm/24PfC2pjEFKgRU+5grCaNEHOdsINtDo3Mm7ShrXScimtzEyepSjEq1SaMfoBm/lSh01q0eshFHSsm/C8gUZwoiJPChLdNOnNu7qviCMRlb8uAjLl3C++01PFZM8dNXMl/o/BA4ZPXVNHXuc8Xq/MGsnh5XElS2RbJQwL48wr327sBkiz/prTQHQiFWDGT8WpA971yyDig8ETzvXvU0jG2XVuAvbRdAZw4kL7l0/GVTj3D/KdMHAhRGg4dIZGGSX9u6V5GtgS9XffWQXcFjtHtxUOQLcF6xjm5MSNNQ9smGQVnMPtoB+KH0GFfw9053KaKEmV24MC/dULTcguseUTY//enqNCIbjeJ2A3Z0B3qNV/c0DMH/dU7pY8ep4K6eK3QxxQGHijDq+aww36YbBpwQahTxBFuP9q9pY45bhPJFxd6UEU5nsEggNC4KDB7jaWFvmQWg8qFgftzp21aWxiQSwzL0e9mP2Z5oEqflCsrrplwSzd4zYe2AKiUiVogDk3F0Mivwo0ouz5/IVH5fPrjXsZsqbTteiHpDeAKyl6lVDAvaS1amso0XAB7vw5VW3/TTWLivzSFYNKaXhP9YgSp6DW+h5GRLshxSpCGZEmDavHK/OQ+GX4/aY2o/KOQBPHkW+xgxDabvTYIeEsEiug4YkmkUwHT2+kajbiB9G3lh29h4ICWWrLyw7R7gsqLrlFwloBViG47eAYViFMyoY2LVGxpASMykxmIwWwYy8lUwKj3mi5HwU20mDmxeizZ/u8EYH/F8RqlgjlygVkFtam/pba8V1RI14ic4pc78qwsSUZ6B8HSf3YMyj93VVArg+jlwMPqFkrTyUFc9H041L2Z2Q41umpf7JKr3QVIuazS2boOThRBlwc0pAbKtYFg8c5lzismh3SmFY/kRvAzKkM+o/rsTmRAVJSUB9n486GCh7QnXDL2AgnPp+/latXLaRf+D9rZ+cJiFKa/sP3vDYWNUwa3aNaNXk/lOgB8xPUrZhjg+7XlcJAB41mYRUwAOKXAiUlvX2VxoWaZvMDnS66jWhreF9d7eus4hHhGtn1M593tXcPfMBvdPm1cC/hK7HyMoFa1Mysx1ohUPsA6zen3sdlwgw5/trHFgVVI2cTPYMPCAAAAAAAz2YHGbjWOyMAAd0H2rcBABWHNk+xxGf7AgAAAAAEWVo=",
  ],
];

test.each(made)("what xz packed is unpacked: %s", async (_, packed) => {
  const bytes = Buffer.from(packed, "base64");
  for (const piece of [1, 7, 100_000]) expect((await unpacked(bytes, piece)).toString()).toBe(text);
  // Two files one after the other are one, with or without zeros between them.
  expect((await unpacked(Buffer.concat([bytes, Buffer.alloc(8), bytes]))).toString()).toBe(text + text);
});

test("what is cut off or changed is refused", async () => {
  const bytes = Buffer.from(made[0]![1], "base64");
  for (const length of [5, 13, 40, bytes.length - 30, bytes.length - 1])
    await expect(unpacked(bytes.subarray(0, length))).rejects.toThrow("cut off");
  for (let at = 0; at < bytes.length - 40; at += 3) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1 << (at % 8);
    await expect(unpacked(changed), `byte ${at}`).rejects.toThrow(/damaged|cut off|filter|window/);
  }
});

test("any bytes that xz packs come back, however it was told to", needs({ xz: hasTool("xz") }), async () => {
  let seed = 5;
  const random = (below: number) => ((seed = (seed * 48_271) % 2_147_483_647), seed % below);
  const noise = Buffer.from(Array.from({ length: 200_000 }, () => random(256)));
  const repeated = Buffer.concat(Array.from({ length: 60 }, () => noise.subarray(random(1000), 2000 + random(40_000))));
  for (const bytes of [Buffer.alloc(0), noise, repeated, Buffer.concat([noise, repeated, noise])])
    for (const options of [
      ["-0"],
      ["-6"],
      ["-9", "--check=crc32"],
      ["--block-size=65536", "-T2"],
      ["--lzma2=preset=4,dict=64KiB,lc=1,lp=3,pb=4"],
    ]) {
      const packed = execFileSync("xz", [...options, "-c"], { input: bytes, maxBuffer: 1 << 28 });
      expect((await unpacked(packed, 50_000)).equals(bytes), options.join(" ")).toBe(true);
    }
});
