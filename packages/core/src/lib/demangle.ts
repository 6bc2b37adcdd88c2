/*
 * C++ names as compilers write them (Itanium C++ ABI, 5.1): the part that kernels use. Parameters are not wanted, so the
 * name alone is read, with its template arguments. What is not understood stays as it is.
 */

const builtin: { [code: string]: string } = {
  v: "void",
  w: "wchar_t",
  b: "bool",
  c: "char",
  a: "signed char",
  h: "unsigned char",
  s: "short",
  t: "unsigned short",
  i: "int",
  j: "unsigned int",
  l: "long",
  m: "unsigned long",
  x: "long long",
  y: "unsigned long long",
  n: "__int128",
  o: "unsigned __int128",
  f: "float",
  d: "double",
  e: "long double",
  g: "__float128",
  z: "...",
};

const standard: { [code: string]: string } = {
  t: "std",
  a: "std::allocator",
  b: "std::basic_string",
  s: "std::string",
  i: "std::istream",
  o: "std::ostream",
  d: "std::iostream",
};

const operators: { [code: string]: string } = {
  cl: "operator()",
  pl: "operator+",
  mi: "operator-",
  ml: "operator*",
  dv: "operator/",
  ix: "operator[]",
  eq: "operator==",
  ne: "operator!=",
  lt: "operator<",
  gt: "operator>",
  aS: "operator=",
  ls: "operator<<",
  rs: "operator>>",
};

class NotUnderstood extends Error {}

/** The name that a mangled one stands for; any other comes back as it is. */
export function demangled(name: string): string {
  if (!/^_?_Z[\w$.]+$/.test(name) || 16_384 < name.length) return name;
  try {
    return new NameReader(name.slice(name.indexOf("Z") + 1)).encoding();
  } catch (error) {
    if (error instanceof NotUnderstood) return name;
    throw error;
  }
}

// A reader with a place and a memory of what it read: substitutions refer to both.
class NameReader {
  #text: string;
  #at = 0;
  #depth = 0;
  #seen: string[] = [];
  #template: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  encoding(): string {
    return this.#name();
  }

  #peek(length = 1): string {
    return this.#text.slice(this.#at, this.#at + length);
  }

  #take(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  #fail(): never {
    throw new NotUnderstood();
  }

  #deeper<T>(read: () => T): T {
    this.#depth += 1;
    if (200 < this.#depth) this.#fail();
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #remember(text: string): string {
    if (4096 < this.#seen.length || 65_536 < text.length) this.#fail();
    this.#seen.push(text);
    return text;
  }

  #name(): string {
    return this.#deeper(() => {
      if (this.#peek() === "N") return this.#nested();
      if (this.#peek() === "Z") return this.#local();
      let text: string;
      if (this.#peek() === "S" && this.#peek(2) !== "St") text = this.#substitution();
      else {
        const inStandard = this.#take("St");
        text = `${inStandard ? "std::" : ""}${this.#unqualified()}`;
        if (this.#peek() === "I") this.#remember(text);
      }
      if (this.#peek() === "I") text += this.#templateArguments(true);
      return text;
    });
  }

  #local(): string {
    this.#take("Z");
    const outer = this.#name();
    // The parameters of the function around it: only its end matters.
    this.#skipParameters();
    if (this.#take("s")) return outer;
    const inner = this.#name();
    return `${outer}::${inner}`;
  }

  #skipParameters(): void {
    while (!this.#take("E")) this.#type();
  }

  #nested(): string {
    this.#take("N");
    while (/[rVKRO]/.test(this.#peek()) && this.#peek() !== "") this.#at += 1;
    let text = "";
    while (!this.#take("E")) {
      const next = this.#peek();
      if (next === "") this.#fail();
      if (next === "S" && this.#peek(2) !== "St") {
        text = this.#substitution();
        continue;
      }
      if (next === "I") {
        text += this.#templateArguments(true);
        if (this.#peek() !== "E") this.#remember(text);
        continue;
      }
      if (next === "T") {
        text = this.#remember(this.#templateParameter());
        continue;
      }
      if (this.#take("St")) {
        text = "std";
        continue;
      }
      const part = this.#unqualified();
      text = text === "" ? part : `${text}::${part}`;
      // What is before the end is a prefix, which others refer to; the whole is remembered where it is a type.
      if (this.#peek() !== "E") this.#remember(text);
    }
    return text;
  }

  #unqualified(): string {
    const digits = /^\d+/.exec(this.#text.slice(this.#at, this.#at + 8))?.[0];
    if (digits !== undefined) {
      this.#at += digits.length;
      const length = Number(digits);
      const text = this.#peek(length);
      if (text.length !== length) this.#fail();
      this.#at += length;
      this.#abiTags();
      return text.startsWith("_GLOBAL__N_") ? "(anonymous namespace)" : text;
    }
    if (this.#take("Ul")) {
      while (!this.#take("E")) this.#type();
      const number = /^\d*_/.exec(this.#text.slice(this.#at, this.#at + 12))?.[0];
      if (number === undefined) this.#fail();
      this.#at += number.length;
      return "{lambda}";
    }
    if (this.#take("Ut")) {
      const number = /^\d*_/.exec(this.#text.slice(this.#at, this.#at + 12))?.[0];
      if (number === undefined) this.#fail();
      this.#at += number.length;
      return "{unnamed}";
    }
    if (this.#take("L")) return this.#unqualified();
    if (/^[CD][0-5]/.test(this.#peek(2))) {
      const kind = this.#peek();
      this.#at += 2;
      return kind === "C" ? "{constructor}" : "{destructor}";
    }
    if (this.#take("cv")) return `operator ${this.#type()}`;
    const operator = operators[this.#peek(2)];
    if (operator === undefined) this.#fail();
    this.#at += 2;
    return operator;
  }

  #abiTags(): void {
    while (this.#take("B")) {
      const digits = /^\d+/.exec(this.#text.slice(this.#at, this.#at + 8))?.[0];
      if (digits === undefined) this.#fail();
      this.#at += digits.length + Number(digits);
    }
  }

  #substitution(): string {
    this.#take("S");
    const code = this.#peek();
    if (code === "_" || /[0-9A-Z]/.test(code)) {
      const digits = /^[0-9A-Z]*/.exec(this.#text.slice(this.#at, this.#at + 8))![0];
      this.#at += digits.length;
      if (!this.#take("_")) this.#fail();
      const index = digits === "" ? 0 : Number.parseInt(digits, 36) + 1;
      const found = this.#seen[index];
      if (found === undefined) this.#fail();
      return found;
    }
    const known = standard[code];
    if (known === undefined) this.#fail();
    this.#at += 1;
    return known;
  }

  #templateParameter(): string {
    this.#take("T");
    const digits = /^\d*_/.exec(this.#text.slice(this.#at, this.#at + 8))?.[0];
    if (digits === undefined) this.#fail();
    this.#at += digits.length;
    const index = digits === "_" ? 0 : Number.parseInt(digits, 10) + 1;
    return this.#template[index] ?? `T${index}`;
  }

  #templateArguments(keep: boolean): string {
    this.#take("I");
    const given: string[] = [];
    while (!this.#take("E")) given.push(this.#templateArgument());
    if (keep) this.#template = given;
    return `<${given.join(", ")}>`;
  }

  #templateArgument(): string {
    return this.#deeper(() => {
      if (this.#take("L")) return this.#literal();
      if (this.#take("X")) return this.#expression();
      if (this.#take("J")) {
        const pack: string[] = [];
        while (!this.#take("E")) pack.push(this.#templateArgument());
        return pack.join(", ");
      }
      return this.#type();
    });
  }

  #expression(): string {
    let depth = 1;
    while (0 < depth) {
      const next = this.#peek();
      if (next === "") this.#fail();
      // Only literals are expected here; anything else ends the attempt.
      if (next === "L") {
        this.#at += 1;
        this.#literal();
      } else if (next === "E") {
        this.#at += 1;
        depth -= 1;
      } else this.#fail();
    }
    return "…";
  }

  #literal(): string {
    if (this.#take("_Z")) {
      const name = this.#name();
      this.#skipParameters();
      return name;
    }
    const type = this.#type();
    const end = this.#text.indexOf("E", this.#at);
    if (end < 0) this.#fail();
    const value = this.#text.slice(this.#at, end).replace(/^n/, "-");
    this.#at = end + 1;
    if (type === "bool") return value === "1" ? "true" : "false";
    return type === "int" || value === ""
      ? value
      : type === "unsigned int"
        ? `${value}u`
        : type === "long"
          ? `${value}l`
          : type === "unsigned long"
            ? `${value}ul`
            : `(${type})${value}`;
  }

  #type(): string {
    return this.#deeper(() => {
      const next = this.#peek();
      switch (next) {
        case "P":
          this.#at += 1;
          return this.#remember(`${this.#type()}*`);
        case "R":
          this.#at += 1;
          return this.#remember(`${this.#type()}&`);
        case "O":
          this.#at += 1;
          return this.#remember(`${this.#type()}&&`);
        case "K":
          this.#at += 1;
          return this.#remember(`${this.#type()} const`);
        case "V":
          this.#at += 1;
          return this.#remember(`${this.#type()} volatile`);
        case "A": {
          const bound = /^A(\d*)_/.exec(this.#text.slice(this.#at, this.#at + 12));
          if (!bound) this.#fail();
          this.#at += bound[0].length;
          return this.#remember(`${this.#type()} [${bound[1]}]`);
        }
        case "F": {
          this.#at += 1;
          const result = this.#type();
          const given: string[] = [];
          while (!this.#take("E")) given.push(this.#type());
          return this.#remember(`${result} (${given.filter((type) => type !== "void").join(", ")})`);
        }
        case "T": {
          const parameter = this.#remember(this.#templateParameter());
          return this.#peek() === "I" ? this.#remember(parameter + this.#templateArguments(false)) : parameter;
        }
        case "D": {
          const two = this.#peek(2);
          if (two === "Dp") {
            this.#at += 2;
            return this.#remember(this.#type());
          }
          const wide = { Dh: "half", DF: "", Dn: "std::nullptr_t", Di: "char32_t", Ds: "char16_t", Du: "char8_t" }[two];
          if (wide === undefined) this.#fail();
          this.#at += 2;
          if (two === "DF") {
            const format = /^(\d+)([_b])/.exec(this.#text.slice(this.#at, this.#at + 6));
            if (!format) this.#fail();
            this.#at += format[0].length;
            return format[2] === "b" ? "std::bfloat16_t" : `_Float${format[1]}`;
          }
          return wide;
        }
        case "S":
          if (this.#peek(2) === "St") break;
          {
            const found = this.#substitution();
            return this.#peek() === "I" ? this.#remember(found + this.#templateArguments(false)) : found;
          }
        case "u":
          this.#at += 1;
          return this.#remember(this.#unqualified());
      }
      const known = builtin[next];
      if (known !== undefined && !/^\d/.test(next)) {
        this.#at += 1;
        return known;
      }
      if (next === "N" || next === "Z" || /\d/.test(next) || this.#peek(2) === "St") {
        return this.#remember(this.#nameOfType());
      }
      return this.#fail();
    });
  }

  // Template parameters within a type are those of the name around it.
  #nameOfType(): string {
    const template = this.#template;
    const name = this.#name();
    this.#template = template;
    return name;
  }
}
