/** A client that keeps applying its files, like a GitOps controller. */
import { equal, mergePatch } from '../../machinery/api/merge.ts';
import { isObject, type KubeObject } from '../../machinery/api/object.ts';
import type { World } from '../system/world.ts';

type Fields = Record<string, unknown>;

/** The fields of the file that a live object lacks; fields that only the live object has are ignored. */
const lacking = (live: unknown, file: Fields): Fields => {
  const has = isObject(live) ? live : {};
  const patch: Fields = {};
  for (const [key, wanted] of Object.entries(file)) {
    if (equal(has[key], wanted)) continue;
    if (!isObject(wanted) || !isObject(has[key])) patch[key] = wanted;
    else {
      const inner = lacking(has[key], wanted);
      if (Object.keys(inner).length > 0) patch[key] = inner;
    }
  }
  return patch;
};

/** The fields that the file lost since it was last applied. */
const dropped = (before: Fields, file: Fields): Fields => {
  const patch: Fields = {};
  for (const [key, had] of Object.entries(before)) {
    const wanted = file[key];
    if (wanted === undefined) patch[key] = null;
    else if (isObject(had) && isObject(wanted)) {
      const inner = dropped(had, wanted);
      if (Object.keys(inner).length > 0) patch[key] = inner;
    }
  }
  return patch;
};

const merged = (one: Fields, other: Fields): Fields => {
  const result = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const has = result[key];
    result[key] = isObject(has) && isObject(value) ? merged(has, value) : value;
  }
  return result;
};

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const noted = (file: KubeObject): KubeObject => ({
  ...file,
  metadata: {
    ...file.metadata,
    annotations: { ...file.metadata.annotations, [lastApplied]: `${JSON.stringify(file)}\n` },
  },
});

/** The patch that `kubectl apply` sends; empty without a difference. */
export const threeWay = (live: KubeObject, file: KubeObject): Fields => {
  const before = JSON.parse(live.metadata.annotations?.[lastApplied] ?? '{}') as Fields;
  const patch = merged(dropped(before, file as unknown as Fields), lacking(live, file as unknown as Fields));
  return Object.keys(patch).length === 0 && equal(before, file)
    ? {}
    : merged(lacking(live, noted(file) as unknown as Fields), patch);
};

export const manners = ['applies', 'updates', 'applies what there is'] as const;
export type Manner = (typeof manners)[number];

/** Refused requests by code and kind; conflicts are normal. */
export type Refusals = Map<string, string>;

/** One round over all files. */
export const sync = async (
  world: World,
  manner: Manner,
  files: readonly KubeObject[],
  refusals: Refusals,
): Promise<void> => {
  for (const file of files) {
    const path = world.pathOf(file);
    const own = `${path}/${file.metadata.name}`;
    const found = await world.request('GET', own);
    const live = found.code === 200 ? found.body : undefined;
    const send = async () => {
      if (!live) return manner === 'applies what there is' ? undefined : world.request('POST', path, noted(file));
      const patch = threeWay(live, file);
      // Read, modify, write: the whole object, whether anything differs or not.
      if (manner === 'updates') return world.request('PUT', own, mergePatch(live, patch));
      if (Object.keys(patch).length === 0) return undefined;
      return world.request('PATCH', own, patch, 'application/merge-patch+json');
    };
    const answer = await send();
    if (answer && answer.code >= 400) refusals.set(`${answer.code} ${file.kind}`, answer.body.message ?? '');
  }
};
