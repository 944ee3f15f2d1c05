import { parseDuration } from '../../../machinery/api/durations.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { restoreDeadlineAnnotation } from './annotations.ts';

/** Seconds in which a machine stops, or boots and joins, with much to spare. */
const perMachine = 1800;

/** Seconds without progress after which a step of a restore fails. */
export const restoreDeadlineOf = ({ metadata: { annotations = {} } }: KubeObject): number => {
  const given = parseDuration(annotations[restoreDeadlineAnnotation] ?? '') ?? 0;
  return given > 0 ? given : perMachine;
};
