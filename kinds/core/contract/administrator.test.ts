import { expect, it } from 'vitest';
import { createAuthority, issue } from '../../../adapters/pki/index.ts';
import { faultOfKubeconfig } from './administrator.ts';
import { adminKubeconfig, base64, renderKubeconfig } from './kubeconfig.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const authority = () =>
  createAuthority({ subject: { commonName: 'kubernetes' }, days: 3650, algorithm: 'ECDSA-P256', now });
const [ca, other] = [authority(), authority()];
const clientOf = (by: typeof ca) =>
  issue({
    subject: { commonName: 'kubernetes-admin' },
    usages: ['client'],
    ca: by,
    days: 365,
    now,
    algorithm: 'ECDSA-P256',
  });
const client = clientOf(ca);
const server = 'https://api.example.com:6443';
const own = (change: object = {}) =>
  adminKubeconfig({ cluster: 'c', server, caCertificate: ca.certificate, ...client, ...change });
const withUser = (user: Record<string, string>, cluster: Record<string, string> = { server }) =>
  renderKubeconfig({ cluster, user, names: { cluster: 'c', user: 'u', context: 'x' } });

it.each<{ rule: string; kubeconfig: string; fault: string | undefined }>([
  { rule: 'serves with the certificate that its authority signed', kubeconfig: own(), fault: undefined },
  {
    rule: 'serves with any of the authorities that it trusts, as in a rotation',
    kubeconfig: own({ caCertificate: `${other.certificate}${ca.certificate}` }),
    fault: undefined,
  },
  { rule: 'serves with a token', kubeconfig: withUser({ token: 't' }), fault: undefined },
  {
    rule: 'serves without an authority of its own',
    kubeconfig: withUser({
      'client-certificate-data': base64(client.certificate),
      'client-key-data': base64(client.key),
    }),
    fault: undefined,
  },
  { rule: 'is empty', kubeconfig: '', fault: 'it is empty' },
  { rule: 'is rubbish', kubeconfig: 'nonsense: [', fault: 'the kubeconfig cannot be used: it is not YAML' },
  { rule: 'has no contexts', kubeconfig: 'users: []', fault: 'the kubeconfig cannot be used: it names no server' },
  { rule: 'has no client', kubeconfig: withUser({}), fault: 'it names no client' },
  {
    rule: 'has a damaged authority',
    kubeconfig: own({ caCertificate: 'rubbish' }),
    fault: 'the authority that it trusts did not sign its client certificate',
  },
  {
    rule: 'has a damaged certificate',
    kubeconfig: own({ certificate: 'rubbish' }),
    fault: 'client-certificate-data is not a certificate in PEM',
  },
  {
    rule: 'has a damaged key',
    kubeconfig: own({ key: 'rubbish' }),
    fault: 'client-key-data is not the key of client-certificate-data',
  },
  {
    rule: 'has the key of another client',
    kubeconfig: own({ key: clientOf(ca).key }),
    fault: 'client-key-data is not the key of client-certificate-data',
  },
  {
    rule: 'has the client of another authority',
    kubeconfig: own(clientOf(other)),
    fault: 'the authority that it trusts did not sign its client certificate',
  },
])('a kubeconfig that $rule', ({ kubeconfig, fault }) => expect(faultOfKubeconfig(kubeconfig)).toBe(fault));
