/** What a machine boots with is for it alone: keys where they belong, and a cluster that it can tell from others. */
import type { KubeadmConfig } from '../../../kinds/kubeadm-config/index.ts';
import type { Secret } from '../../../kinds/secret/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'boots with';
const untouched = 'node.cluster.x-k8s.io/uninitialized';

export const booted = ({ world, wanted }: Setting): Invariant => {
  const { mirror } = world;
  const expectData = (text: string, config: KubeObject) => {
    const { name, labels = {} } = config.metadata;
    const fail = (what: string) => {
      throw new Violation(rule, `${name} ${what}`);
    };
    const isControlPlane = 'cluster.x-k8s.io/control-plane' in labels;
    if (!isControlPlane && text.includes('PRIVATE KEY')) fail('is a worker, and gets a private key');
    if (!isControlPlane && !text.includes(untouched)) fail(`is a worker, and comes without the taint ${untouched}`);
    for (const file of text.split(/\n {2}- path: /).slice(1)) {
      const [path] = file.split('\n');
      if (file.includes('PRIVATE KEY') && !/permissions: "?0600/.test(file)) fail(`lets others read ${path}`);
    }
    if (/unsafeSkipCAVerification: true/.test(text)) fail('joins whoever answers');
  };
  return {
    onCommit: ({ object, writer }) => {
      // Who tries out fields may ask for all of it.
      if (object?.kind !== 'Secret' || writer !== 'kubeadm-config' || wanted().length === 0) return;
      const owner = object.metadata.ownerReferences?.find(({ kind }) => kind === 'KubeadmConfig');
      const config = owner && mirror.get<KubeadmConfig>('KubeadmConfig', object.metadata.namespace!, owner.name);
      const { value } = ((object as Secret).data ?? {}) as Record<string, string>;
      if (config && value) expectData(Buffer.from(value, 'base64').toString(), config);
    },
  };
};
