/**
 * All fields that are accepted and stored because manifests have them, and have no effect yet; the
 * documentation lists them.
 */
import { configNotActedOn } from './bootstrap-kubeadm/kubeadm-config/not-acted-on.ts';
import { type KeyNotActedOn, sharedKeys } from './common/keys-not-acted-on.ts';
import type { NotActedOn } from './common/not-acted-on.ts';
import { awsNotActedOn } from './infrastructure-aws/not-acted-on.ts';

export const table: NotActedOn[] = [...awsNotActedOn, ...configNotActedOn];

/** Labels and annotations alike; without a kind: of all kinds. */
export const keys: (KeyNotActedOn & { kind?: string })[] = [...sharedKeys];
