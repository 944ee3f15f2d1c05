/** User data of a machine of EKS: a MIME message with what nodeadm and cloud-init read. Pure. */
import { stringify } from 'yaml';
import { cloudConfigOf, type WriteFile } from '../../bootstrap-kubeadm/kubeadm-config/cloud-config.ts';
import type { NodeadmConfigSpec } from './schema.ts';

export interface EksFacts {
  /** Name of the cluster in EKS. */
  name: string;
  /** https://… */
  apiServerEndpoint: string;
  /** PEM in base64. */
  certificateAuthority: string;
  /** Range of its Services, from which nodes know the address of its DNS. */
  cidr: string;
}

const boundary = '//';

const part = (type: string, body: string): string =>
  `--${boundary}\nContent-Type: ${type}\n\n${body.replace(/\n*$/, '\n')}`;

const nodeConfig = ({ featureGates, kubelet, containerd }: NodeadmConfigSpec, cluster: EksFacts): string =>
  stringify(
    {
      apiVersion: 'node.eks.aws/v1alpha1',
      kind: 'NodeConfig',
      spec: {
        cluster,
        ...(featureGates && { featureGates }),
        ...(kubelet && { kubelet }),
        ...(containerd && { containerd }),
      },
    },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );

const script = (commands: readonly string[]): string =>
  ['#!/bin/bash', 'set -o errexit', 'set -o pipefail', 'set -o nounset', ...commands].join('\n');

/** `files`, `users`: with what came from Secrets. */
export const userDataOf = (
  spec: NodeadmConfigSpec,
  cluster: EksFacts,
  files: WriteFile[],
  users: NonNullable<NodeadmConfigSpec['users']>,
): string => {
  const config = cloudConfigOf({ spec, files, users });
  return [
    `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${boundary}"\n`,
    ...(spec.preNodeadmCommands?.length
      ? [part('text/x-shellscript; charset="us-ascii"', script(spec.preNodeadmCommands))]
      : []),
    part('application/node.eks.aws', nodeConfig(spec, cluster)),
    ...(config ? [part('text/cloud-config', config)] : []),
    `--${boundary}--\n`,
  ].join('\n');
};
