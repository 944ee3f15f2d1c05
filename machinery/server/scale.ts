/** /scale: autoscaling/v1 Scale over the paths that a kind names. */
import { badRequest, notFound } from '../api/errors.ts';
import { jsonPath } from '../api/json-path.ts';
import type { ScalePaths } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import { formOf, respond, warnOfVersion } from './answer.ts';
import { customTypes, decodeBody, mediaTypeOf, readBody } from './body.ts';
import { type Call, storeOf } from './call.ts';
import { fromStored } from './convert.ts';
import { isObject, setField } from './json.ts';
import { writeOptions } from './options.ts';
import { readPatch } from './patch.ts';
import { notServed } from './status.ts';
import { updateObject } from './update-object.ts';

interface Scale {
  apiVersion: 'autoscaling/v1';
  kind: 'Scale';
  metadata: Record<string, unknown>;
  spec: { replicas?: number };
  status: { replicas: number; selector?: string };
}

const pathsOf = ({ version }: Call): ScalePaths => {
  if (!version.scale) throw notServed();
  return version.scale;
};

const numberAt = (path: string, object: unknown): number | undefined => {
  const value = jsonPath(path, object)[0];
  return typeof value === 'number' ? value : undefined;
};

const scaleOf = (paths: ScalePaths, object: KubeObject): Scale => {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = paths.labelSelectorPath && jsonPath(paths.labelSelectorPath, object)[0];
  const replicas = numberAt(paths.specReplicasPath, object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace && { namespace }), uid, resourceVersion, creationTimestamp },
    spec: { ...(replicas !== undefined && { replicas }) },
    status: {
      replicas: numberAt(paths.statusReplicasPath, object) ?? 0,
      ...(typeof selector === 'string' && selector !== '' && { selector }),
    },
  };
};

const withReplicas = (paths: ScalePaths, object: KubeObject, replicas: number): KubeObject => {
  const copy = structuredClone(object);
  const parts = paths.specReplicasPath.split('.').filter(Boolean);
  let at: Record<string, unknown> = copy;
  for (const part of parts.slice(0, -1)) {
    if (!isObject(at[part])) setField(at, part, {});
    at = at[part] as Record<string, unknown>;
  }
  setField(at, parts.at(-1)!, replicas);
  return copy;
};

const replicasOf = (scale: unknown): number => {
  const spec = isObject(scale) && isObject(scale.spec) ? scale.spec : {};
  const replicas = spec.replicas ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas))
    throw badRequest(
      `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ${typeof replicas} into Go struct field ScaleSpec.spec.replicas of type int32`,
    );
  return replicas;
};

const answer = async (call: Call, object: KubeObject): Promise<Response> => {
  warnOfVersion(call);
  return respond(call, scaleOf(pathsOf(call), fromStored(call.resource, call.version, object)), formOf(call), 200);
};

const checkScale = (call: Call, scale: unknown): void => {
  const metadata = isObject(scale) && isObject(scale.metadata) ? scale.metadata : {};
  if (metadata.name && metadata.name !== call.path.name)
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${call.path.name})`,
    );
};

const write = async (
  call: Call,
  dryRun: boolean,
  retry: boolean,
  next: (scale: Scale) => unknown,
): Promise<Response> => {
  const paths = pathsOf(call);
  const stored = await updateObject(call, {
    dryRun,
    retry,
    subresource: 'scale',
    next: (current) => {
      const scale = next(scaleOf(paths, current));
      checkScale(call, scale);
      const metadata = isObject(scale) && isObject(scale.metadata) ? scale.metadata : {};
      const { resourceVersion, uid } = metadata as { resourceVersion?: string; uid?: string };
      const changed = withReplicas(paths, current, replicasOf(scale));
      return {
        ...changed,
        metadata: { ...changed.metadata, ...(resourceVersion && { resourceVersion }), ...(uid && { uid }) },
      };
    },
  });
  return answer(call, stored);
};

export const scale = async (call: Call): Promise<Response> => {
  const { resource, path } = call;
  pathsOf(call);
  switch (call.request.method) {
    case 'PUT': {
      const bytes = await readBody(call.request);
      const { dryRun } = writeOptions('UpdateOptions', call.query);
      const { value } = await decodeBody(bytes, mediaTypeOf(call.request), customTypes);
      return write(call, dryRun, true, () => value);
    }
    case 'PATCH': {
      const { apply } = await readPatch(call.request, resource.kind.custom);
      const { dryRun } = writeOptions('PatchOptions', call.query);
      return write(call, dryRun, true, (current) => apply(structuredClone(current), {}));
    }
    default: {
      const object = await storeOf(call).get(resource.type, { namespace: path.namespace, name: path.name });
      if (!object) throw notFound(resource.kind, path.name);
      return answer(call, object);
    }
  }
};
