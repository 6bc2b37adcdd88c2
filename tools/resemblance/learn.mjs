// Learns how much each feature of a text speaks for each cause: a regression over all causes at once, by steps that grow smaller.
// The same texts always give the same answer: nothing is left to chance.

/** `texts`: `{ features, cause, accept }`. `causes` is the order of the answer. */
export function learn(texts, causes, { rounds = 10, step = 0.5, shrink = 2e-4, least = 4, beside = 0.2 } = {}) {
  const seen = new Map();
  for (const { features } of texts) for (const each of features) seen.set(each, (seen.get(each) ?? 0) + 1);
  const telling = new Map(
    [...seen]
      .filter(([, count]) => least <= count)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([feature, count]) => [feature, Math.log(1 + texts.length / count)]),
  );
  const index = new Map([...telling.keys()].map((feature, at) => [feature, at]));
  const values = [...telling.values()];
  const wide = causes.length;
  const weights = new Float64Array(index.size * wide);
  const bias = new Float64Array(wide);
  const [squares, biasSquares] = [new Float64Array(weights.length).fill(1e-2), new Float64Array(wide).fill(1e-2)];
  const rows = texts.map(({ features, cause, accept }) => {
    const at = features.flatMap((feature) => index.get(feature) ?? []);
    const length = Math.sqrt(at.reduce((sum, each) => sum + values[each] ** 2, 0)) || 1;
    const wanted = new Float64Array(wide);
    const others = accept.map((each) => causes.indexOf(each));
    wanted[causes.indexOf(cause)] = others.length === 0 ? 1 : 1 - beside;
    for (const each of others) wanted[each] += beside / others.length;
    return { at, by: at.map((each) => values[each] / length), wanted };
  });
  const order = rows.map((_, at) => at);
  let state = 12345;
  const next = (below) => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) % below;
  const scores = new Float64Array(wide);
  for (let round = 0; round < rounds; round += 1) {
    for (let at = order.length - 1; 0 < at; at -= 1) {
      const other = next(at + 1);
      [order[at], order[other]] = [order[other], order[at]];
    }
    for (const which of order) {
      const { at, by, wanted } = rows[which];
      scores.set(bias);
      at.forEach((feature, each) => {
        for (let cause = 0; cause < wide; cause += 1) scores[cause] += weights[feature * wide + cause] * by[each];
      });
      const top = Math.max(...scores);
      let sum = 0;
      for (let cause = 0; cause < wide; cause += 1) sum += scores[cause] = Math.exp(scores[cause] - top);
      for (let cause = 0; cause < wide; cause += 1) {
        const off = scores[cause] / sum - wanted[cause];
        biasSquares[cause] += off * off;
        bias[cause] -= (step * off) / Math.sqrt(biasSquares[cause]);
        for (let each = 0; each < at.length; each += 1) {
          const place = at[each] * wide + cause;
          const slope = off * by[each] + shrink * weights[place];
          squares[place] += slope * slope;
          weights[place] -= (step * slope) / Math.sqrt(squares[place]);
        }
      }
    }
  }
  const features = new Map(
    [...index].map(([feature, at]) => [
      feature,
      { telling: values[at], speaks: [...weights.subarray(at * wide, at * wide + wide)].map((weight, cause) => ({ cause, weight })) },
    ]),
  );
  return { causes, bias, features };
}
