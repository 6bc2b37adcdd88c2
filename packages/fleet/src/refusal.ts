/** What is not done for who asks, in one sentence, with the status that HTTP has for it. */
export class Refusal extends Error {
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 429 | 503;
  constructor(status: Refusal["status"], sentence: string) {
    super(sentence);
    this.status = status;
  }
}
