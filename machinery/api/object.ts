/** The common shape of Kubernetes objects. Source: the Kubernetes API conventions. */

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [field: string]: JsonValue | undefined };

/** Whether a value is an object in JSON: neither null nor a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// Types, not interfaces: TypeScript accepts only a type alias as a JsonValue.

export type OwnerReference = {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
};

export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  /** RFC 3339, seconds. */
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: JsonValue[];
}

/** Any object as it is stored: in the kind's storage version. */
export interface KubeObject<Spec = unknown, Status = unknown> {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: Spec;
  status?: Status;
  [field: string]: unknown;
}

/** metav1.Condition. */
export type Condition = {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message?: string;
  observedGeneration?: number;
  lastTransitionTime?: string;
};

/** The Cluster API v1beta1 condition, which the AWS provider's kinds still carry. */
export type LegacyCondition = {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  severity?: 'Error' | 'Warning' | 'Info' | '';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
};

export type LabelSelector = {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
};

/** An object's key: `namespace` is empty for cluster-scoped objects. */
export interface ObjectKey {
  namespace: string;
  name: string;
}

/** `namespace/name`, or just the name for a cluster-scoped object. */
export const keyOf = ({ namespace, name }: { namespace?: string; name: string }): string =>
  namespace ? `${namespace}/${name}` : name;
