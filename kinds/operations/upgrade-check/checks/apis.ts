/** Whether the cluster's APIs answer, and are still served by the target version. Pure. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { type Finding, isUnreadable, nameOf, ofWorkload } from './facts.ts';

type Conditioned = { conditions?: { type: string; status: string; message?: string }[] };

export const checkApiServices = ofWorkload(({ apiServices }) =>
  apiServices.flatMap((service): Finding[] => {
    const available = (service.status as Conditioned | undefined)?.conditions?.find(({ type }) => type === 'Available');
    if (!available || available.status === 'True') return [];
    return [
      {
        code: 'APIServiceUnavailable',
        level: 'Warn',
        object: nameOf(service),
        message: `Its API does not answer${available.message ? `: ${available.message}` : ''}`,
        remedy: 'Repair or delete it: namespaces cannot be deleted and discovery is incomplete meanwhile',
      },
    ];
  }),
);

type Definition = KubeObject<{ versions?: { name: string; served?: boolean }[] }, { storedVersions?: string[] }>;

export const checkStoredVersions = ofWorkload(({ customResourceDefinitions }) =>
  (customResourceDefinitions as readonly Definition[]).flatMap((definition): Finding[] => {
    const served = (definition.spec?.versions ?? []).filter((version) => version.served).map(({ name }) => name);
    const lost = (definition.status?.storedVersions ?? []).filter((name) => !served.includes(name));
    if (lost.length === 0) return [];
    return [
      {
        code: 'StoredVersionNotServed',
        level: 'Warn',
        object: nameOf(definition),
        message: `Objects are stored as ${lost.join(', ')}, which is no longer served`,
        remedy: 'Migrate them to a served version',
      },
    ];
  }),
);

/** The API servers keep the record until they restart, so that a client that was mended still counts. */
export const checkDeprecatedApis = ofWorkload(({ deprecatedApis }, { target, cluster }) => {
  if (isUnreadable(deprecatedApis))
    return [
      {
        code: 'DeprecatedAPIsNotChecked',
        level: 'Warn',
        isUnknown: true,
        object: nameOf(cluster),
        message: `The metrics of an API server could not be read: ${deprecatedApis.unreadable}`,
        remedy: 'Repair it, or make sure by the audit log that no client requests a deprecated API',
      },
    ];
  const removed = deprecatedApis.filter(({ removedRelease }) => {
    const [major = Number.NaN, minor = Number.NaN] = removedRelease.split('.').map(Number);
    return major < target.major || (major === target.major && minor <= target.minor);
  });
  return removed.map(({ group, version, resource, removedRelease }) => ({
    code: 'DeprecatedAPIRequested',
    level: 'Warn',
    object: `API ${group ? `${group}/` : ''}${version} ${resource}`,
    message: `A client has requested it since the API servers started, and v${removedRelease} no longer serves it`,
    remedy: 'Find the client in the audit log (annotation k8s.io/deprecated), and move it to a newer version',
  }));
});
