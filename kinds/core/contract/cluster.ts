/** What the Cluster controller reads from provider objects, in either contract version. Pure. */
import type { Condition, KubeObject, LegacyCondition } from '../../../machinery/api/object.ts';

export interface Endpoint {
  host: string;
  port: number;
}

export type FailureDomain = {
  name: string;
  controlPlane?: boolean;
  attributes?: Record<string, string>;
};

type Status = Record<string, unknown>;
const statusOf = (object: KubeObject | undefined): Status => (object?.status ?? {}) as Status;
const initialization = (object: KubeObject) =>
  (statusOf(object).initialization ?? {}) as Record<string, boolean | undefined>;

export const conditionsOf = (object: KubeObject | undefined): (Condition | LegacyCondition)[] =>
  (statusOf(object).conditions ?? []) as (Condition | LegacyCondition)[];

export const isProvisioned = (infrastructure: KubeObject): boolean =>
  (initialization(infrastructure).provisioned ?? statusOf(infrastructure).ready) === true;

export const isInitialized = (controlPlane: KubeObject): boolean =>
  (initialization(controlPlane).controlPlaneInitialized ?? statusOf(controlPlane).initialized) === true;

/** Undefined until both host and port are set. */
export const endpointOf = (object: KubeObject | undefined): Endpoint | undefined => {
  const endpoint = (object?.spec as { controlPlaneEndpoint?: Partial<Endpoint> } | undefined)?.controlPlaneEndpoint;
  return endpoint?.host && endpoint.port ? { host: endpoint.host, port: endpoint.port } : undefined;
};

/** Where a provider with regions has the cluster. */
export const regionOf = (infrastructure: KubeObject | undefined): string | undefined =>
  (infrastructure?.spec as { region?: string } | undefined)?.region;

/** A list in v1beta2, a map by name in v1beta1; always sorted by name. */
export const failureDomainsOf = (infrastructure: KubeObject): FailureDomain[] => {
  const domains = statusOf(infrastructure).failureDomains as
    | FailureDomain[]
    | Record<string, Omit<FailureDomain, 'name'>>
    | undefined;
  const list = Array.isArray(domains)
    ? domains
    : Object.entries(domains ?? {}).map(([name, rest]) => ({ name, ...rest }));
  return list.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

export type Counts = {
  desiredReplicas: number;
  replicas: number;
  readyReplicas: number;
  availableReplicas: number;
  upToDateReplicas: number;
};
export type VersionCount = {
  version: string;
  replicas: number;
};

const count = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** The counters of a control plane, a MachineDeployment or a MachineSet. */
export const countsOf = (object: KubeObject): Counts => {
  const status = statusOf(object);
  const replicas = count(status.replicas);
  // The contract v1beta1 counts what is not available.
  const available = status.unavailableReplicas === undefined ? 0 : replicas - count(status.unavailableReplicas);
  return {
    desiredReplicas: count((object.spec as { replicas?: number } | undefined)?.replicas),
    replicas,
    readyReplicas: count(status.readyReplicas),
    availableReplicas: count(status.availableReplicas ?? available),
    upToDateReplicas: count(status.upToDateReplicas ?? status.updatedReplicas),
  };
};

/** The versions that a control plane reports to run. */
export const runningVersionsOf = (controlPlane: KubeObject): string[] => {
  const { version } = statusOf(controlPlane) as { version?: string };
  const versions = versionsOf(controlPlane).map((one) => one.version);
  return versions.length === 0 && version !== undefined ? [version] : versions;
};

export const versionsOf = (object: KubeObject | undefined): VersionCount[] =>
  (statusOf(object).versions as VersionCount[] | undefined) ?? [];
