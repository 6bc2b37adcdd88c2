/** Where culprit can look. */
export { machine } from "./machine.ts";
export { besideReader, leadsOut, readText } from "./beside.ts";
export { root } from "./root.ts";
export { host, refuseNoHost } from "./host.ts";
export { image } from "./image.ts";
export { namedPieces, openNamed, readNamed, Unfit } from "./named.ts";
export { pid, processesMapping } from "./pid.ts";
export { bombWords, firstBytes, isBomb, isPacked, takePieces, type Taken, type Taker } from "./pieces.ts";
