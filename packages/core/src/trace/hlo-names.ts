// What XLA's instructions are in the program: an XSpace of JAX has the compiled modules in its plane `/host:metadata`, and in them each
// instruction with the operation that it was made from. A kernel of a fusion names the instruction alone.
import { decode } from "../lib/text.ts";
import { cursorOver, eachField, ProtobufError, readVarint, signed, type Cursor } from "./protobuf.ts";

/** By module and instruction; an empty text where two modules of one name do not agree. */
export type HloNames = Map<string, Map<string, string>>;

/** Bounds the memory: more than the largest modules that were seen have. */
const mostInstructions = 400_000;

interface Instruction {
  name: string;
  operation: string;
  calls: number;
}

interface Computation {
  id: number;
  root: number;
  instructions: { id: number; instruction: Instruction }[];
}

/** `bytes`: one entry of the plane's map of event metadata. What is no module, or a damaged one, says nothing. */
export function readHloNames(into: HloNames, bytes: Uint8Array, start: number, stop: number): void {
  const cursor = cursorOver(bytes);
  cursor.at = start;
  try {
    // XPlane.event_metadata: value = 2; XEventMetadata: stats = 5; XStat: bytes_value = 6; HloProto: hlo_module = 1.
    within(cursor, stop, 2, (metadataEnd) =>
      within(cursor, metadataEnd, 5, (statEnd) =>
        within(cursor, statEnd, 6, (protoEnd) => within(cursor, protoEnd, 1, (end) => readModule(into, cursor, end))),
      ),
    );
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
  }
}

function within(cursor: Cursor, stop: number, wanted: number, read: (end: number) => void): void {
  eachField(cursor, stop, (field, wire, _from, to) => {
    if (field === wanted && wire === 2) read(to);
  });
}

// HloModuleProto: name = 1, computations = 3.
function readModule(into: HloNames, cursor: Cursor, stop: number): void {
  let name = "";
  const computations: Computation[] = [];
  let left = mostInstructions - [...into.values()].reduce((sum, { size }) => sum + size, 0);
  eachField(cursor, stop, (field, wire, from, to) => {
    if (wire !== 2 || left <= 0) return;
    if (field === 1) name = decode(cursor.bytes, from, to);
    if (field !== 3) return;
    const computation = readComputation(cursor, to);
    left -= computation.instructions.length;
    computations.push(computation);
  });
  const roots = new Map(computations.map((each) => [each.id, each.instructions.find(({ id }) => id === each.root)?.instruction.operation]));
  const known = into.get(name) ?? new Map<string, string>();
  into.set(name, known);
  for (const { instructions } of computations)
    for (const { instruction } of instructions) {
      // A fusion without an operation of its own is that of its result.
      const operation = instruction.operation || roots.get(instruction.calls);
      // A copy of an argument bears the argument's name, which is no operation.
      if (!operation?.includes("/")) continue;
      const before = known.get(instruction.name);
      known.set(instruction.name, before === undefined || before === operation ? operation : "");
    }
}

// HloComputationProto: instructions = 2, id = 5, root_id = 6.
function readComputation(cursor: Cursor, stop: number): Computation {
  const computation: Computation = { id: 0, root: 0, instructions: [] };
  eachField(cursor, stop, (field, wire, _from, to) => {
    if (field === 5 && wire === 0) computation.id = signed(cursor);
    if (field === 6 && wire === 0) computation.root = signed(cursor);
    if (field === 2 && wire === 2) computation.instructions.push(readInstruction(cursor, to));
  });
  return computation;
}

// HloInstructionProto: name = 1, metadata = 7 (OpMetadata: op_name = 2), id = 35, called_computation_ids = 38.
function readInstruction(cursor: Cursor, stop: number): Computation["instructions"][number] {
  const instruction: Instruction = { name: "", operation: "", calls: -1 };
  let id = 0;
  eachField(cursor, stop, (field, wire, from, to) => {
    if (field === 1 && wire === 2) instruction.name = decode(cursor.bytes, from, Math.min(to, from + 4096));
    if (field === 35 && wire === 0) id = signed(cursor);
    if (field === 38 && instruction.calls < 0) instruction.calls = firstNumber(cursor, wire, from, to);
    if (field === 7 && wire === 2)
      eachField(cursor, to, (member, inner, textFrom, textTo) => {
        if (member === 2 && inner === 2) instruction.operation = decode(cursor.bytes, textFrom, Math.min(textTo, textFrom + 4096));
      });
  });
  return { id, instruction };
}

/** Of numbers that may be packed into one field. */
function firstNumber(cursor: Cursor, wire: number, from: number, to: number): number {
  if (wire === 0) return signed(cursor);
  const packed = cursorOver(cursor.bytes);
  packed.at = from;
  return readVarint(packed, to) ? signed(packed) : -1;
}
