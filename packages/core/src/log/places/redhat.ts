import { translated, type Place } from "./place.ts";

/** Fedora, RHEL and their kin: dnf has NVIDIA's packages under the same names, and other words for the system's own. */
export const redhat: Place = {
  line: (command) => [
    command
      .replace(/\bapt-get install linux-headers-\$\(uname -r\)/, "dnf install kernel-devel-$(uname -r) kernel-headers-$(uname -r)")
      .replace(/\bapt-get install\b/, "dnf install")
      .replace(/^apt-file search (\S+)$/, "dnf provides '*/$1'")
      .replace(/\bupdate-initramfs -u\b/, "dracut --force"),
  ],
  fix: (one) =>
    translated(
      {
        ...one,
        fix: one.fix.replace(/; on Debian and Ubuntu this names it:$/, "; this names it:"),
      },
      redhat.line,
    ),
  first: () => [],
};

/** Another Linux, whose package manager has other names: apt is not there. */
export const withoutApt: Place = {
  line: (command) => (/\bapt(?:-get|-file|-cache)?\b|\bdpkg\b|\bupdate-initramfs\b/.test(command) ? [] : [command]),
  fix: (one) => {
    const commands = one.commands.flatMap(withoutApt.line);
    return [
      {
        ...one,
        fix:
          commands.length < one.commands.length
            ? `${one.fix.replace(/; on Debian and Ubuntu this names it:$/, "")} (with the package manager of this Linux)`
            : one.fix,
        commands,
      },
    ];
  },
  first: () => [],
};
