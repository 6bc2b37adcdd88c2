import { ownMatter } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** Errors of a program or of its data, which no version of CUDA changes. */
export default [
  {
    ...notice(
      "other-weights",
      ["copying a param with shape", "in loading state_dict", "unexpected key(s) in state_dict", "missing key(s) in state_dict"],
      /copying a param with shape|Error\(s\) in loading state_dict|(?:Unexpected|Missing) key\(s\) in state_dict/,
      "size mismatch for fc.weight: copying a param with shape torch.Size([8, 32]) from checkpoint, the shape in current model is torch.Size([2, 32]).",
    ),
    means: ownMatter(
      "the program",
      "the weights were saved from a model of another shape than the one that loads them: a matter of its configuration, and no version of CUDA changes it",
      "build the model with the configuration of the checkpoint (classes, vocabulary, layers), or load with `strict=False` and leave out what differs",
    ),
  },
  {
    ...notice(
      // A server that is not reached.
      "network",
      [
        "getaddrinfo failed",
        "gaierror",
        "certificate_verify_failed",
        "connect timeout",
        "got error: socket timeout",
        "connection refused",
        "<urlopen error",
        "remote end closed connection",
        "connection reset by peer",
        "incompleteread",
      ],
      /getaddrinfo failed|\bgaierror\b|CERTIFICATE_VERIFY_FAILED|\(connect timeout=|key-value store[^\n]{0,80}got error: Socket Timeout|\bConnection refused\b|<urlopen error|Remote end closed connection without response|\bIncompleteRead\(|ConnectionResetError: /,
      "socket.gaierror: [Errno 11001] getaddrinfo failed",
      "retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: Socket Timeout",
    ),
    means: ownMatter(
      "the network",
      "a server could not be reached: no matter of versions",
      "look at the connection, a proxy or the name server; then try again",
    ),
  },
  {
    ...notice(
      // huggingface_hub: a model that needs a licence or a token, or does not exist.
      "gated-model",
      [
        "gatedrepoerror",
        "cannot access gated repo",
        "repositorynotfounderror",
        "is not a local folder and is not a valid model identifier",
      ],
      /GatedRepoError|Cannot access gated repo|RepositoryNotFoundError|is not a local folder and is not a valid model identifier/,
      "huggingface_hub.errors.GatedRepoError: 401 Client Error.",
    ),
    means: ownMatter(
      "the model",
      "the model is not given to whoever asks: its licence must be agreed to, the token is missing, or the name is wrong; no matter of versions",
      "agree to its terms on its page, and log in",
    ),
  },
] satisfies Signature[];
