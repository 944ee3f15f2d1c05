/** What was done too late, by a pass whose lease was another's by then or whose object was gone, and what may come of it. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';

/** On the Installation: when the last such pass ended. */
const annotation = 'capstan.dev/late';
export const cameLate = (installation: KubeObject, now: number): KubeObject => {
  const { metadata } = installation;
  const annotations = { ...metadata.annotations, [annotation]: timestamp(now) };
  return { ...installation, metadata: { ...metadata, annotations } };
};

/** Milliseconds until the account shows what such a pass may have made. */
const shownAfter = 15 * 60_000;
export const mayStillShow = ({ metadata }: KubeObject, now: number, speed: number): boolean =>
  now < Date.parse(metadata.annotations?.[annotation] ?? '') + shownAfter / speed;
