/**
 * The input and output of the controllers inside a cluster: both are data, so that the controllers
 * are pure.
 */
import { timestamp } from '../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Clock } from '../../machinery/ports.ts';
import type { GuestInstance } from '../ports.ts';
import type { PodObject } from './objects.ts';
import type { Ailment, ClusterRecord, KubeletRecord } from './records.ts';

/** A machine whose kubelet belongs to this cluster. */
export interface Host {
  instance: GuestInstance;
  kubelet: KubeletRecord;
  /** Milliseconds since the epoch; absent while it runs. */
  haltedAt?: number;
  /** The account has terminated it. */
  isEnded?: true;
  ailment?: Ailment;
  illComponent?: string;
}

export interface World {
  /** Milliseconds since the epoch. */
  now: number;
  /** Leaves the event loop if the round has held it for long. */
  pause?: Clock['yield'];
  requireCni: boolean;
  cluster: Pick<ClusterRecord, 'caCertificate' | 'serviceSubnet' | 'podSubnet' | 'eksName'>;
  hosts: Host[];
  /** Objects of a type, by namespace and name. */
  list<T extends KubeObject>(type: string): T[];
  /** A simulated delay in real milliseconds. */
  scaled(ms: number): number;
  /** Five characters as generated names end in. */
  suffix(): string;
}

export type Step =
  | { do: 'create'; type: string; object: KubeObject }
  /** The whole object, at the resourceVersion it was seen with. */
  | { do: 'update'; type: string; object: KubeObject }
  | { do: 'remove'; type: string; object: KubeObject };

export class Plan {
  readonly steps: Step[] = [];
  /** When to look again though nothing changes, in milliseconds since the epoch. */
  wakeAt: number | undefined;

  create(type: string, object: KubeObject): void {
    this.steps.push({ do: 'create', type, object });
  }
  update(type: string, object: KubeObject): void {
    this.steps.push({ do: 'update', type, object });
  }
  remove(type: string, object: KubeObject): void {
    this.steps.push({ do: 'remove', type, object });
  }
  /** True once `at` has passed; otherwise the controllers run again then. */
  reached(at: number, now: number): boolean {
    if (at <= now) return true;
    this.wakeAt = Math.min(this.wakeAt ?? at, at);
    return false;
  }
  /** Asks a pod to end as its kubelet sees fit; one that no kubelet has is gone at once. */
  terminate(pod: PodObject, now: number): void {
    if (pod.metadata.deletionTimestamp) return;
    if (!pod.spec?.nodeName) this.remove('pods', pod);
    else this.update('pods', terminating(pod, now));
  }
}

export const terminating = (pod: PodObject, now: number, grace?: number): PodObject => {
  const seconds = grace ?? pod.spec?.terminationGracePeriodSeconds ?? 30;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      deletionTimestamp: timestamp(now + seconds * 1000),
      deletionGracePeriodSeconds: seconds,
    },
  };
};

export type ClusterController = (world: World, plan: Plan) => void | Promise<void>;

/** A number that only depends on the text. */
export const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    value ^= text.charCodeAt(at);
    value = Math.imul(value, 0x01000193) >>> 0;
  }
  return value;
};
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
/** Characters as generated names have them, without vowels. */
export const safeText = (value: number, length = 10): string => {
  let rest = value;
  let text = '';
  while (text.length < length) {
    text += alphabet[rest % alphabet.length];
    rest = Math.floor(rest / alphabet.length) || hash(text + value);
  }
  return text;
};
