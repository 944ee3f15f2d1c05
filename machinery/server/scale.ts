/** /scale: autoscaling/v1 Scale over the paths that a kind defines. */
import { notFound } from '../api/errors.ts';
import { jsonPath } from '../api/json-path.ts';
import type { ScalePaths } from '../api/kind.ts';
import { isObject, type KubeObject, type ObjectMeta } from '../api/object.ts';
import { formOf, respond, shown, warnOfVersion } from './answer.ts';
import { type Call, storeOf } from './call.ts';
import { shownFromStored } from './convert.ts';
import { readObject } from './decode.ts';
import { setField } from './json.ts';
import { writeOptions } from './options.ts';
import { patched, readPatch } from './patch.ts';
import type { Bodies } from './review.ts';
import { scaleKind, scaleVersion } from './scale-kind.ts';
import { notServed } from './status.ts';
import { checkPlace } from './update.ts';
import { updateObject } from './update-object.ts';

type Scale = {
  apiVersion: 'autoscaling/v1';
  kind: 'Scale';
  metadata: ObjectMeta;
  spec: { replicas?: number };
  status: { replicas: number; selector?: string };
};

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

/** Users' policies see a Scale, not the scaled object. */
const scaleBodies = (paths: ScalePaths): Bodies => ({
  group: scaleKind(true).group,
  version: scaleVersion.name,
  kind: 'Scale',
  of: (object) => scaleOf(paths, object),
  into: (object, body) => {
    const { replicas = 0 } = (body.spec ?? {}) as { replicas?: number };
    return withReplicas(paths, object, replicas);
  },
});

/** The same request for the Scale instead of the scaled object. */
const ofScale = (call: Call): Call => ({
  ...call,
  resource: { ...call.resource, kind: scaleKind(call.resource.kind.namespaced) },
  version: scaleVersion,
});

const answer = async (call: Call, object: KubeObject): Promise<Response> => {
  warnOfVersion(call);
  const form = formOf(call);
  const scale = scaleOf(pathsOf(call), await shownFromStored(call.resource.kind, call.version, object));
  return respond(call, shown(ofScale(call), scale, form), form, 200);
};

const write = async (call: Call, dryRun: boolean, next: (scale: Scale) => KubeObject): Promise<Response> => {
  const paths = pathsOf(call);
  const stored = await updateObject(call, {
    dryRun,
    retry: true,
    subresource: 'scale',
    bodies: scaleBodies(paths),
    next: (current) => {
      const wanted = next(scaleOf(paths, current));
      checkPlace(ofScale(call), wanted);
      const { resourceVersion, uid } = wanted.metadata;
      const { replicas = 0 } = (wanted.spec ?? {}) as { replicas?: number };
      const changed = withReplicas(paths, current, replicas);
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
      const { dryRun, fieldValidation } = writeOptions('UpdateOptions', call.query);
      const sent = await readObject(ofScale(call), fieldValidation);
      return write(call, dryRun, () => sent);
    }
    case 'PATCH': {
      const patch = await readPatch(call.request, resource.kind);
      const { dryRun, fieldValidation } = writeOptions('PatchOptions', call.query);
      return write(call, dryRun, (current) => patched(ofScale(call), patch, current, fieldValidation));
    }
    default: {
      const object = await storeOf(call).get(resource.type, { namespace: path.namespace, name: path.name });
      if (!object) throw notFound(resource.kind, path.name);
      return answer(call, object);
    }
  }
};
