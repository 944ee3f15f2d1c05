/** What was done too late, by a pass whose lease was another's by then or whose object was gone, and what may come of it. */
import { timestamp } from '../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../machinery/api/object.ts';

/** On the Installation: when the last such pass ended. */
const annotation = 'capstan.dev/late';
export const cameLate = (installation: KubeObject, now: number): KubeObject => {
  const { metadata } = installation;
  const annotations = { ...metadata.annotations, [annotation]: timestamp(now) };
  return { ...installation, metadata: { ...metadata, annotations } };
};

/** When the last one ended, in milliseconds since the epoch, in whole seconds; long ago when none did. */
export const lastLate = ({ metadata }: KubeObject): number => Date.parse(metadata.annotations?.[annotation] ?? '') || 0;
