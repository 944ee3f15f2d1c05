/**
 * The states of the alarms that pools of a cluster name, which the infrastructure provider records on
 * their ScalingPlan. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';

/** JSON of AlarmStates. Reserved for controllers. */
export const alarmsAnnotation = 'capstan.dev/alarms';

/** By name. Only `ALARM` gives a pool other sizes; `NotFound` for an alarm that does not exist. */
export type AlarmStates = Record<string, string>;
export const alarmNotFound = 'NotFound';

export const alarmStatesOf = ({ metadata }: KubeObject): AlarmStates => {
  try {
    const states: unknown = JSON.parse(metadata.annotations?.[alarmsAnnotation] ?? '{}');
    return typeof states === 'object' && states !== null ? (states as AlarmStates) : {};
  } catch {
    return {};
  }
};

/** Undefined without alarms. */
export const alarmsNote = (states: AlarmStates): string | undefined => {
  const sorted = Object.entries(states).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.length > 0 ? JSON.stringify(Object.fromEntries(sorted)) : undefined;
};

export const alarmingIn = (states: AlarmStates): Set<string> =>
  new Set(Object.entries(states).flatMap(([name, state]) => (state === 'ALARM' ? [name] : [])));

/** Under this id events find the ScalingPlans with alarms. */
export const alarmsResource = 'cloudwatch/alarms';
