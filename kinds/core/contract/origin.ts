/**
 * The snapshot of another cluster that a new Cluster begins with: what a user asks for, and the copy
 * of it that the create operation admits. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';

/** Annotations that users set on a Cluster which is to be created. */
export const originAnnotations = {
  /** Name of the EtcdSnapshot whose state its API server begins with. */
  restoreFrom: 'capstan.dev/restore-from',
  /** What to leave out besides, such as `deployments/kube-system/external-dns`. */
  restoreWithout: 'capstan.dev/restore-without',
} as const;

/** Reserved annotation of a Cluster: the file that its first etcd member starts on, as JSON. */
export const originFileAnnotation = 'capstan.dev/etcd-origin';

/** A file in the installation's storage, and its hash. */
export interface OriginFile {
  location: string;
  /** sha256: and a hexadecimal hash. */
  checksum: string;
}

/** Undefined for a cluster that begins empty. */
export const restoreFromOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.annotations?.[originAnnotations.restoreFrom];

/** Undefined until the create operation admits it; an unreadable annotation names no file. */
export const originFileOf = ({ metadata }: KubeObject): OriginFile | undefined => {
  try {
    const file = JSON.parse(metadata.annotations?.[originFileAnnotation] ?? 'null') as OriginFile | null;
    return typeof file?.location === 'string' && typeof file.checksum === 'string' ? file : undefined;
  } catch {
    return undefined;
  }
};

/** The items of the annotation `restoreWithout`: paths below the API server's prefix in etcd. */
export const pathsIn = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
export const restoreWithoutOf = ({ metadata }: KubeObject): string[] =>
  pathsIn(metadata.annotations?.[originAnnotations.restoreWithout] ?? '');

/** What such a path is: a resource as etcd names it, and as much of a namespace and name as is meant. */
export const excludedPath = /^[a-z0-9][-a-z0-9.]*(\/[a-z0-9][-a-z0-9.]*){0,3}$/;
