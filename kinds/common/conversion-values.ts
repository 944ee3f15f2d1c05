/**
 * Values that v1beta1 and v1beta2 of many kinds write in different ways, and fields that differ in
 * the same way.
 */

import { formatDuration, parseDuration } from '../../machinery/api/durations.ts';
import { groupOf } from '../../machinery/api/kind.ts';
import { isObject } from '../../machinery/api/object.ts';
import { move, type Rule, type Value } from './conversion.ts';

const largest = 2 ** 31 - 1;

/** A duration string in v1beta1, whole seconds in v1beta2. */
export const seconds: Value = {
  up: (value) => {
    const parsed = typeof value === 'string' ? parseDuration(value) : undefined;
    return parsed === undefined ? undefined : Math.max(-largest, Math.min(largest, Math.trunc(parsed)));
  },
  down: (value) => (typeof value === 'number' ? formatDuration(value) : undefined),
};

/**
 * core/v1 ObjectReference in v1beta1; group, kind and name in v1beta2. All served kinds are served
 * in v1beta2.
 */
export const reference: Value = {
  up: (value) => {
    if (!isObject(value)) return undefined;
    const { apiVersion, kind, name } = value;
    if (!apiVersion && !kind && !name) return undefined;
    return { apiGroup: groupOf(String(apiVersion ?? '')), kind: kind ?? '', name: name ?? '' };
  },
  down: (value, { namespace }) => {
    if (!isObject(value)) return undefined;
    const { apiGroup, kind, name } = value;
    return { apiVersion: apiGroup ? `${apiGroup}/v1beta2` : 'v1', kind, name, ...(namespace && { namespace }) };
  },
};

/** core/v1 ObjectReference in v1beta1; version, kind and name in v1beta2. */
export const templateReference: Value = {
  up: (value) => {
    if (!isObject(value)) return undefined;
    const { apiVersion, kind, name } = value;
    if (!apiVersion && !kind && !name) return undefined;
    return { apiVersion: apiVersion ?? '', kind: kind ?? '', name: name ?? '' };
  },
  down: (value, { namespace }) => (isObject(value) ? { ...value, ...(namespace && { namespace }) } : undefined),
};

/** `deletion`, in the object that contains it. */
export const deletionTimeouts: Rule[] = ['nodeDrainTimeout', 'nodeVolumeDetachTimeout', 'nodeDeletionTimeout'].map(
  (field) => move(field, `deletion.${field}Seconds`, seconds),
);

/** Status fields that v1beta2 keeps for v1beta1 clients, and fields that only v1beta2 has. */
export const statusFields = ({ old = [], shared = [] }: { old?: string[]; shared?: string[] } = {}): Rule[] => [
  ...['conditions', ...shared].map((field) => move(`status.v1beta2.${field}`, `status.${field}`)),
  ...['conditions', ...old].map((field) => move(`status.${field}`, `status.deprecated.v1beta1.${field}`)),
];
export const failure = ['failureReason', 'failureMessage'];
