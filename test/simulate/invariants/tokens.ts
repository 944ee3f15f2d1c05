/** A token to join with is good for joining, as kubeadm has it, and for nothing else. */
import type { KubeadmConfig } from '../../../kinds/bootstrap-kubeadm/kubeadm-config/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

/** Whom kubeadm allows to ask for a certificate, and to read what it needs. */
const wanted = {
  'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
  'usage-bootstrap-authentication': 'true',
  'usage-bootstrap-signing': 'true',
} as const;

export const tokens = ({ world: { guests, mirror } }: Setting): Invariant => {
  const look = async (token: string) => {
    const [id = '', secret = ''] = token.split('.');
    for (const cluster of guests.clusters.all()) {
      const found = await cluster.get('secrets', 'kube-system', `bootstrap-token-${id}`);
      const { data = {}, type } = (found ?? {}) as KubeObject & { data?: Record<string, string>; type?: string };
      const said = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
      // A namesake's has another secret.
      if (!found || said('token-secret') !== secret) continue;
      if (type !== 'bootstrap.kubernetes.io/token') throw new Violation('tokens', `${id} is a Secret of type ${type}`);
      for (const [key, value] of Object.entries(wanted))
        if (said(key) !== value) throw new Violation('tokens', `${key} of ${id} is ${said(key)}, and not ${value}`);
    }
  };
  return {
    onCommit: ({ object, before, writer }) => {
      if (object?.kind !== 'KubeadmConfig' || writer !== 'kubeadm-config') return;
      const [was, is] = [before, object].map((one) => (one as KubeadmConfig | undefined)?.status?.dataSecretName);
      const { token } = (object as KubeadmConfig).spec?.joinConfiguration?.discovery?.bootstrapToken ?? {};
      if (token && is && !was) void look(token).catch(mirror.breaks);
    },
  };
};
