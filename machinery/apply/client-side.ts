/** The annotation of client-side apply, of which `kubectl apply --server-side` takes over the fields. */
import { equal } from '../api/merge.ts';
import { isObject, type JsonObject, type KubeObject } from '../api/object.ts';
import { compare } from './compare.ts';
import { difference, type FieldSet } from './field-set.ts';
import { goJson } from './go-text.ts';
import type { MergeType } from './type.ts';
import { fieldsOf, misfitsOf } from './typed.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const mostBytes = 256 * 1024;

/** The manager that migrates. */
export const clientSideManager = 'kubectl';

const annotationsOf = ({ metadata }: KubeObject): Record<string, string> | undefined => {
  const annotations: unknown = metadata?.annotations;
  if (!isObject(annotations) || !Object.values(annotations).every((value) => typeof value === 'string'))
    return undefined;
  return annotations as Record<string, string>;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** What the user applied from the client and is still so; undefined without a usable annotation. */
export const lastApplied = (live: KubeObject, type: MergeType): FieldSet | undefined => {
  const applied = parsed(annotationsOf(live)?.[annotation] ?? '');
  if (!isObject(applied) || applied.apiVersion !== live.apiVersion || applied.kind !== live.kind) return undefined;
  if (misfitsOf(live, type).length > 0 || misfitsOf(applied, type).length > 0) return undefined;
  const found = compare(applied, live, type);
  if (Array.isArray(found)) return undefined;
  return [found.modified, found.added, found.removed].reduce(difference, fieldsOf(applied, type));
};

const bytesOf = (annotations: Record<string, string>): number =>
  Object.entries(annotations).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);

const withAnnotations = (object: KubeObject, annotations: Record<string, string> | undefined): KubeObject => {
  const { annotations: _, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(annotations && { annotations }) } };
};

const without = (annotations: Record<string, string> | undefined) => {
  if (!annotations) return undefined;
  const { [annotation]: _, ...rest } = annotations;
  return rest;
};

/** The object with its annotation, if it has one, told of the configuration that was applied. */
export const withLastApplied = (object: KubeObject, config: KubeObject): KubeObject => {
  const annotations = annotationsOf(object);
  if (!annotations?.[annotation]) return object;
  const text = `${goJson(withAnnotations(config, without(annotationsOf(config))) as unknown as JsonObject)}\n`;
  const next = { ...annotations, [annotation]: text };
  const fitting = bytesOf(next) > mostBytes ? without(annotations) : next;
  return equal(fitting, annotations) ? object : withAnnotations(object, fitting);
};
