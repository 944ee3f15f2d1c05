/**
 * Records stale passes: a pass that acted after it had lost its lease, or after its object was
 * gone, may have created resources that the account does not list yet.
 */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';

/** On the Installation: when the last stale pass ended. */
const annotation = 'capstan.dev/late';
export const recordStalePass = (installation: KubeObject, now: number): KubeObject => {
  const { metadata } = installation;
  const annotations = { ...metadata.annotations, [annotation]: timestamp(now) };
  return { ...installation, metadata: { ...metadata, annotations } };
};

/** Milliseconds until the account lists what a stale pass may have created. */
const listedAfter = 15 * 60_000;
export const mayBeUnlisted = ({ metadata }: KubeObject, now: number, speed: number): boolean =>
  now < Date.parse(metadata.annotations?.[annotation] ?? '') + listedAfter / speed;
