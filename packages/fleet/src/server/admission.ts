// Kubernetes asks before a pod starts. Only what was judged before is looked up, or waited for a moment; whatever goes wrong here, the pod starts.
import type { Context, Hono } from "hono";
import { admissionOf, namesOf, reviewIn, type AdmissionResponse, type JudgedImage, type Pod } from "../admission.ts";
import { placedIn } from "../fleet.ts";
import { Refusal } from "../refusal.ts";
import { groupsAmong, groupsWithGpus, imageNamed } from "../store/questions.ts";
import type { Store } from "../store/sql.ts";
import { jsonIn } from "./body.ts";

/** An object of Kubernetes has 1.5 MB at most, and a review holds two. */
const reviews = { sent: 4 << 20, unpacked: 8 << 20 };
/** A cluster waits for ten seconds at most, and people with it. */
const patience = 2500;

export interface Admitting {
  store: Store;
  wake: () => void;
  told: (sentence: string) => void;
  /** Who asks, by his header or by the token in the path. */
  mayAsk: (context: Context, token?: string) => Promise<unknown>;
  counted: (answer: string) => void;
}

export function admissionRoutes(app: Hono, admitting: Admitting): void {
  app.post("/api/v1/admission/:mode", async (context) => answered(context, admitting));
  app.post("/api/v1/admission/:mode/:token", async (context) => answered(context, admitting, context.req.param("token")));
}

async function answered(context: Context, admitting: Admitting, token?: string): Promise<Response> {
  await admitting.mayAsk(context, token);
  const mode = context.req.param("mode");
  if (mode !== "warn" && mode !== "deny") throw new Refusal(404, "the last word of the address is `warn` or `deny`");
  const review = reviewIn(await jsonIn(context, reviews));
  if (!review) throw new Refusal(400, "the body is no AdmissionReview of admission.k8s.io/v1");
  const { uid, pod } = review;
  let response: AdmissionResponse = { uid, allowed: true };
  try {
    if (pod) response = admissionOf(uid, mode, await judgedImages(admitting, pod));
  } catch (error) {
    admitting.told(`a review of ${pod?.images.join(", ").slice(0, 200)} failed: ${error instanceof Error ? error.message : String(error)}`);
    response = { uid, allowed: true, warnings: ["culprit could not judge this pod now"] };
  }
  admitting.counted(response.allowed ? (response.warnings ? "warned" : "allowed") : "denied");
  return context.json({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response });
}

/** Where no selector names a group, all that have GPUs may get the pod. */
async function judgedImages({ store, wake }: Admitting, { images, selected }: Pod): Promise<JudgedImage[]> {
  const named = await groupsAmong(store, selected);
  const groups = 0 < named.length ? named : await groupsWithGpus(store);
  const until = Date.now() + patience;
  const judged: JudgedImage[] = [];
  for (const image of images) {
    const stack = await imageNamed(store, namesOf(image));
    const places = [];
    for (const group of stack === undefined ? [] : groups)
      for (const pair of await placedIn({ store, wake, until, stacks: [stack!] }, group)) places.push({ group, pair });
    judged.push({ image, known: stack !== undefined, places });
  }
  return judged;
}
