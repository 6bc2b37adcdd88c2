// Where nobody says which processor is meant, it is the one that GPU servers mostly have.
export default { arch: "x64" };
