// In the place of vitest, within a browser: tests are registered, run one after the other, and what became of each is told.
import { ASYMMETRIC_MATCHERS_OBJECT, customMatchers, JestAsymmetricMatchers, JestChaiExpect, JestExtend, setState } from "@vitest/expect";
import * as chai from "chai";

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);
const made = ((value: unknown, message?: string) => chai.expect(value, message)) as unknown as typeof import("vitest").expect;
Object.assign(made, chai.expect);
setState({ assertionCalls: 0, isExpectingAssertions: false, expectedAssertionsNumber: null } as never, made as never);
Object.assign(made, (globalThis as never)[ASYMMETRIC_MATCHERS_OBJECT]);
(chai.expect as unknown as { extend(expect: unknown, matchers: object): void }).extend(made, customMatchers);
export const expect = made;

/** Types are looked at by the compiler. */
export const expectTypeOf = (): unknown => new Proxy(() => undefined, { get: () => expectTypeOf(), apply: () => expectTypeOf() });

type Body = (...given: never[]) => unknown;
interface Registered {
  file: string;
  name: string;
  body: () => unknown;
}

const registered: Registered[] = [];
let file = "";
let path: string[] = [];

/** What a file registers is of that file; one that cannot be loaded has failed. */
export function load(name: string, loading: () => unknown): void {
  [file, path] = [name, []];
  try {
    loading();
  } catch (error) {
    add("is loaded", () => {
      throw error;
    });
  }
}

function add(name: string, body: () => unknown): void {
  registered.push({ file, name: [...path, name].join(" > "), body });
}

const bodyIn = (given: unknown[]): Body => given.find((each): each is Body => typeof each === "function")!;
const listOf = (row: unknown): never[] => (Array.isArray(row) ? row : [row]) as never[];

export const test = Object.assign((name: string, ...given: unknown[]) => add(name, bodyIn(given) as () => unknown), {
  each:
    (rows: unknown[]) =>
    (name: string, ...given: unknown[]) => {
      for (const [index, row] of rows.entries()) add(`${name} (${index})`, () => bodyIn(given)(...listOf(row)));
    },
  skipIf: (isSkipped: boolean) => (isSkipped ? () => undefined : test),
  runIf: (isRun: boolean) => (isRun ? test : () => undefined),
});
/** One after the other: what is to be done before, is registered before. */
export const beforeAll = (body: () => unknown): void => add("before all", body);

function within(name: string, body: () => unknown): void {
  path = [...path, name];
  body();
  path = path.slice(0, -1);
}

export const describe = Object.assign((name: string, ...given: unknown[]) => within(name, bodyIn(given) as () => unknown), {
  each:
    (rows: unknown[]) =>
    (name: string, ...given: unknown[]) => {
      for (const [index, row] of rows.entries()) within(`${name} (${index})`, () => bodyIn(given)(...listOf(row)));
    },
});

/** What became of every test: nothing, or what it complained about. */
export async function runAll(): Promise<{ file: string; name: string; complaint?: string }[]> {
  const told = [];
  for (const { file: of, name, body } of registered) {
    try {
      await body();
      told.push({ file: of, name });
    } catch (error) {
      told.push({ file: of, name, complaint: error instanceof Error ? `${error.message}\n${error.stack}` : String(error) });
    }
  }
  return told;
}
