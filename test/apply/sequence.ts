/** Sequences of writes to one object, as Kubernetes' field managers and ours run them. */
import { ApiError } from '../../machinery/api/errors.ts';
import { define } from '../../machinery/api/merge.ts';
import { isObject, type JsonObject, type KubeObject } from '../../machinery/api/object.ts';
import type { JsonSchema } from '../../machinery/api/schema.ts';
import {
  apply,
  entriesAfterScale,
  fieldElement,
  fieldSet,
  mergeTypeOf,
  scaleEntries,
  update,
  type Versions,
  withoutNewTimes,
} from '../../machinery/apply/index.ts';

export interface Version {
  schema: JsonSchema;
  /** Own names of fields of spec, and theirs in the hub. */
  names?: Record<string, string>;
  /** Fields that a subresource does not write. */
  reset?: Record<string, string[]>;
  /** The path of replicas. */
  replicas?: string[];
}

export interface Step {
  operation: 'apply' | 'update' | 'scale';
  version: string;
  subresource?: string;
  manager?: string;
  force?: boolean;
  now?: string;
  object: KubeObject;
  /** Of the scale, after it was written. */
  entries?: unknown;
  /** From this step on. */
  versions?: Record<string, Version>;
}

export interface Case {
  custom: boolean;
  steps: Step[];
}

export interface Result {
  object?: KubeObject;
  error?: string;
  code?: number;
  causes?: string[];
  entries?: unknown;
}

export const group = 'it.example.com';
export const kind = 'It';
export const hub = 'v1';
export const apiVersionOf = (version: string): string => `${group}/${version}`;

const renamed = (object: KubeObject, nameOf: (name: string) => string): KubeObject => {
  if (!isObject(object.spec)) return object;
  const spec: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object.spec)) define(spec, nameOf(name), value);
  return { ...object, spec };
};

const converted = (versions: Record<string, Version>, object: KubeObject, version: string): KubeObject => {
  const from = object.apiVersion.split('/')[1]!;
  if (from === version) return object;
  const toHub = versions[from]?.names ?? {};
  const own = Object.entries(versions[version]?.names ?? {});
  const nameOf = (name: string) => {
    const inHub = Object.hasOwn(toHub, name) ? toHub[name]! : name;
    return own.find(([, other]) => other === inHub)?.[0] ?? inHub;
  };
  return { ...renamed(object, nameOf), apiVersion: apiVersionOf(version) };
};

const versionsOf = (versions: Record<string, Version>): Versions => ({
  typeAt: (apiVersion) => {
    const [of, version] = apiVersion.split('/') as [string, string];
    return of === group && Object.hasOwn(versions, version) ? mergeTypeOf(versions[version]!.schema) : undefined;
  },
  convert: (object, apiVersion) => converted(versions, object, apiVersion.split('/')[1]!),
});

const failure = (error: unknown): Result => {
  if (!(error instanceof Error)) throw error;
  if (!(error instanceof ApiError)) return { error: error.message };
  const causes = error.details?.causes?.map(({ reason, message, field }) => `${reason}|${message}|${field}`);
  return { error: error.message, code: error.code, ...(causes && { causes }) };
};

const scale = ({ version, object, entries, versions }: Step): Result => {
  const replicasAt = (apiVersion: string) => {
    const at = Object.entries(versions!).find(([name]) => apiVersionOf(name) === apiVersion)?.[1];
    return at && (at.replicas?.map(fieldElement) ?? null);
  };
  const { managedFields } = object.metadata;
  return {
    entries: [
      scaleEntries(managedFields, replicasAt) ?? null,
      entriesAfterScale(managedFields, entries, apiVersionOf(version), replicasAt) ?? null,
    ],
  };
};

/** An object that is written step by step. */
export class Sequence {
  #versions: Record<string, Version> = {};
  /** In the hub's version. */
  live: KubeObject | undefined;

  in(version: string): KubeObject | undefined {
    return this.live && converted(this.#versions, this.live, version);
  }

  async run(step: Step): Promise<Result> {
    try {
      if (step.operation === 'scale') return scale(step);
      const next = await this.#write(step);
      const object = converted(this.#versions, next, hub);
      const result = this.live ? withoutNewTimes(object, this.live) : object;
      const { uid = 'it' } = result.metadata;
      this.live = { ...result, metadata: { ...result.metadata, uid } };
      return { object: result };
    } catch (error) {
      return failure(error);
    }
  }

  async #write(step: Step): Promise<KubeObject> {
    if (step.versions) this.#versions = step.versions;
    const { version, subresource = '', manager = '', now = '' } = step;
    const reset = this.#versions[version]?.reset?.[subresource];
    const write = {
      live: this.in(version),
      object: step.object,
      manager,
      subresource,
      apiVersion: apiVersionOf(version),
      kind,
      now,
      versions: versionsOf(this.#versions),
      ...(reset && { reset: fieldSet(...reset.map((name) => [fieldElement(name)])) }),
    };
    if (step.operation === 'apply') return (await apply({ ...write, force: step.force === true })).object;
    const { object, fault } = await update(write);
    if (fault !== undefined) throw new Error(fault);
    return object;
  }
}

export const run = async ({ steps }: Case): Promise<Result[]> => {
  const sequence = new Sequence();
  const results: Result[] = [];
  for (const step of steps) results.push(await sequence.run(step));
  return results;
};

export const objectOf = (version: string, content: JsonObject, metadata: JsonObject = {}): KubeObject =>
  ({
    apiVersion: apiVersionOf(version),
    kind,
    metadata: { name: 'it', namespace: 'default', ...metadata },
    ...content,
  }) as KubeObject;
