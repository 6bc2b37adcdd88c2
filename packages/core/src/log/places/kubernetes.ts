import { translated, type Place } from "./place.ts";

const onNode = /\bsudo\b|\breboot\b|\bmodprobe\b|\bsystemctl\b|\bdmesg\b|\/dev\/nvidia|\/proc\/driver/;

/** A pod gets its GPU from the device plugin; what is to be done to a machine is done to its node. */
export const kubernetes: Place = {
  line: (command) => (/\bdocker (?:run|restart|exec)\b/.test(command) ? [] : [command]),
  fix: (one) =>
    translated(one, kubernetes.line).map((each) => {
      const plain = each.fix
        .replace(/ ?\(`docker restart`\)/, "")
        .replace(/^on a machine: install the NVIDIA driver/, "on the node: install the NVIDIA driver and its container toolkit");
      const isOfNode = each.commands.some((command) => onNode.test(command)) && !/\bnode\b/.test(plain);
      return { ...each, fix: isOfNode ? `on the node: ${plain}` : plain };
    }),
  first: () => [],
};
