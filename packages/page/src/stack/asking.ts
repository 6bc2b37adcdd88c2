// What the page has asked of its worker, and waits for.
import type { Experiment } from "./experiment.ts";
import type { Answer, FromWorker } from "./messages.ts";

/** What matters comes first; what lies below it while that is read, and never if something else was asked meanwhile. */
export interface Heard {
  answer: Answer;
  rest: Promise<string[]>;
}

export type Ask = (experiment: Experiment) => Promise<Heard | string>;

/** A promise, and who keeps it. */
export function promised<Value>(): { promise: Promise<Value>; settle: (value: Value) => void } {
  let settle: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((done) => (settle = done));
  return { promise, settle };
}

/** Messages that wait are handed out. */
export const breath = async (): Promise<void> => new Promise((done) => setTimeout(done));

export class Asking {
  private last = 0;
  private readonly waiting = new Map<number, (heard: Heard | string) => void>();
  private readonly below = new Map<number, (sections: string[]) => void>();

  async ask(say: (id: number) => void): Promise<Heard | string> {
    this.last += 1;
    const { promise, settle } = promised<Heard | string>();
    this.waiting.set(this.last, settle);
    say(this.last);
    return promise;
  }

  hear(message: FromWorker): void {
    const { id } = message;
    if (message.kind === "rest") {
      this.below.get(id)?.(message.sections);
      this.below.delete(id);
      return;
    }
    const settle = this.waiting.get(id);
    this.waiting.delete(id);
    if (message.kind === "problem") return settle?.(message.words);
    const rest = promised<string[]>();
    this.below.set(id, rest.settle);
    settle?.({ answer: message.answer, rest: rest.promise });
  }
}
