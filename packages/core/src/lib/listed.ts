/** A few things by their names; of more only how many: the commands name them. */
export const listed = (names: string[], what: string) => (names.length <= 3 ? names.join(" and ") : `${names.length} ${what}`);
