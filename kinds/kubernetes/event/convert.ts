/** Events are stored as core/v1; events.k8s.io has the same fields under other names. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Event } from './schema.ts';

const names: [core: string, event: string][] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];
const toCoreName = new Map(names.map(([core, event]) => [event, core]));
const fromCoreName = new Map(names);

const renamed = (object: KubeObject, by: Map<string, string>, apiVersion: string): KubeObject =>
  ({
    ...Object.fromEntries(Object.entries(object).map(([name, value]) => [by.get(name) ?? name, value])),
    apiVersion,
  }) as KubeObject;

/** An event of either group in the stored form. */
export const toCore = (object: KubeObject): Event => renamed(object, toCoreName, 'v1') as Event;
export const fromCore = (object: KubeObject): KubeObject => renamed(object, fromCoreName, 'events.k8s.io/v1');
