/** Maps that are patched repeatedly. Each patch changes only the keys that it names. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, type JsonValue, type KubeObject } from '../../../../machinery/api/object.ts';
import type { Dice } from '../../dice.ts';
import { configMaps, placeOf, type Session, secrets, templates } from './session.ts';

/** The number of patches in each run of the task. */
const several = 6;
const keys = ['a', 'b', 'c'];

/** Merges as RFC 7386 specifies. */
const merged = (target: JsonValue | undefined, patch: JsonValue): JsonValue => {
  if (!isObject(patch)) return patch;
  const result = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value!);
  }
  return result;
};
/** Removes empty maps, whose presence is unspecified. */
const filled = (value: JsonValue): JsonValue | undefined => {
  if (!isObject(value)) return value;
  const fields = Object.entries(value).flatMap(([key, one]) => {
    const kept = filled(one!);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
};

/** A patch of some keys: a new value, no change or a removal; or the removal of the whole map. */
const change = (draw: Dice, word: () => JsonValue): JsonValue => (draw.chance(0.1) ? null : changeOf(draw, word));
const changeOf = (draw: Dice, word: () => JsonValue): JsonObject => {
  const some = keys.filter(() => draw.chance(0.6));
  return Object.fromEntries(some.map((key) => [key, draw.chance(0.4) ? null : word()]));
};
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** The kinds, with the maps that they have besides labels and annotations. */
const sorts = [
  { sort: configMaps, own: (draw: Dice) => ({ data: change(draw, () => `${draw.whole(0, 99)}`) }) },
  { sort: secrets, own: (draw: Dice) => ({ data: change(draw, () => base64(`${draw.whole(0, 99)}`)) }) },
  {
    sort: templates,
    own: (draw: Dice) => {
      const clusterConfiguration = { featureGates: changeOf(draw, () => draw.chance(0.5)) };
      // A configuration must not be empty.
      return {
        spec: { template: { spec: draw.chance(0.2) ? { clusterConfiguration: null } : { clusterConfiguration } } },
      };
    },
  },
];

/** The parts of an object that users write. */
const writtenIn = ({ metadata: { labels, annotations }, ...object }: KubeObject): JsonObject => {
  const { data, spec } = object as JsonObject;
  return { metadata: { labels, annotations }, data, spec } as unknown as JsonObject;
};

export const maps = {
  'patch maps': async (session: Session) => {
    const { ask, client, draw, expect } = session;
    const { sort, own } = draw.pick(sorts);
    const name = session.newName();
    const place = placeOf(sort, name);
    let known = await session.make(sort, { name });
    for (let times = 0; times < several; times++) {
      const metadata = { labels: change(draw, () => `${draw.whole(0, 9)}`), annotations: change(draw, () => 'x') };
      const patch = { ...own(draw), ...(draw.chance(0.7) && { metadata }) } as JsonObject;
      const { code } = await client.request('PATCH', place, patch);
      expect(`whether ${name} takes ${JSON.stringify(patch)}`, code, 200);
      const next = await ask('GET', place, 200);
      const [is, should] = [filled(writtenIn(next)), filled(merged(writtenIn(known), patch))];
      if (!isDeepStrictEqual(is, should))
        expect(`${name} after ${JSON.stringify(patch)}`, JSON.stringify(is), JSON.stringify(should));
      known = next;
    }
    await ask('DELETE', place, 200);
  },
};
