/** Events that the cluster's own components report. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { hash } from '../world.ts';

export interface Report {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** Who reports. */
  component: string;
}

/** Equal reports about an object are one Event. */
export const eventAbout = (
  object: KubeObject,
  { type, reason, message, component }: Report,
  now: number,
): KubeObject => {
  const { namespace = 'default', name, uid = '', resourceVersion = '' } = object.metadata;
  const { apiVersion, kind } = object;
  const time = timestamp(now);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name: `${name}.${hash(`${uid} ${reason} ${message}`).toString(16)}` },
    involvedObject: { apiVersion, kind, namespace, name, uid, resourceVersion },
    type,
    reason,
    message,
    count: 1,
    firstTimestamp: time,
    lastTimestamp: time,
    source: { component },
    reportingComponent: component,
    reportingInstance: '',
  };
};
