/** Caches parsed bodies for the whole process: memory tables return the same bytes repeatedly. */
import type { KubeObject } from '../../machinery/api/object.ts';
import { parse } from '../../machinery/store/index.ts';

const known = new WeakMap<Uint8Array, KubeObject>();

export const parseOnce = (body: Uint8Array): KubeObject => {
  const object = known.get(body) ?? parse(body);
  known.set(body, object);
  return object;
};
