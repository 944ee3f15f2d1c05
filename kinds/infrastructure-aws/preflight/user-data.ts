/** Checks that user data which no secret holds is as small as EC2 takes it. */
import { found } from '../../../machinery/api/reconcile.ts';
import { renderCloudConfig } from '../../bootstrap-kubeadm/kubeadm-config/cloud-config.ts';
import { resolveFiles } from '../../bootstrap-kubeadm/kubeadm-config/sources.ts';
import { secretValue } from '../../core/contract/cluster-secrets.ts';
import { plainUserData } from '../aws-machine/user-data.ts';
import type { PlannedMachines, PreflightFacts } from './facts.ts';
import { type Finding, refused } from './finding.ts';

/** EC2 counts the bytes before base64. */
const longest = 16_384;
/** Of four authorities with RSA keys: least sizes of their PEM, as it is and compressed. */
const authorities = { plain: 11_000, compressed: 6500 };

/** What is certainly in it: kubeadm's documents, and what only the controllers know, come on top. */
const leastSize = ({ config, sources = [], controlPlane }: PlannedMachines, uncompressed: boolean): number => {
  const spec = config && found(config.spec);
  if (!spec) return 0;
  const secrets = new Map(sources.map(({ name, secret }) => [name, secret]));
  const files = resolveFiles(spec, secrets, { controlPlaneVersion: undefined });
  const data = renderCloudConfig({
    spec,
    files: 'value' in files ? files.value : [],
    users: [],
    kubeadm: { action: controlPlane ? 'init' : 'join', document: '' },
  });
  const hasKeysOfRsa = controlPlane && !/^ECDSA/.test(spec.clusterConfiguration?.encryptionAlgorithm ?? '');
  const own = hasKeysOfRsa ? authorities[uncompressed ? 'plain' : 'compressed'] : 0;
  return plainUserData(Buffer.from(data), uncompressed).length + own;
};

const sizeOf = (planned: PlannedMachines, uncompressed: boolean): number => {
  const { dataSecret, sources = [] } = planned;
  const secret = dataSecret && found(sources.find(({ name }) => name === dataSecret.name)?.secret ?? absent);
  const given = secretValue(secret, 'value');
  return given === undefined
    ? leastSize(planned, uncompressed)
    : plainUserData(Buffer.from(given), uncompressed).length;
};
const absent = { state: 'absent' } as const;

export const judgeUserData = ({ machines }: PreflightFacts): Finding[] =>
  machines.flatMap((planned): Finding[] => {
    const { spec, at } = planned;
    const machine = found(spec);
    if (!machine?.cloudInit?.insecureSkipSecretsManager) return [];
    const size = sizeOf(planned, machine.uncompressedUserData ?? false);
    if (size <= longest) return [];
    const remedy = machine.uncompressedUserData ? `, or ${at.path}.uncompressedUserData` : '';
    return [
      refused(
        `${at.object} ${at.path}.cloudInit.insecureSkipSecretsManager: the user data of ${planned.by} has at least ${size} bytes, and EC2 takes ${longest}: leave out the field, so that a secret holds it${remedy}`,
      ),
    ];
  });
