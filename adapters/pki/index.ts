/** The Pki port on local cryptography. */
import type { Pki, PkiReads } from '../../kinds/ports/pki.ts';
import { memoize, memoizePair } from '../../machinery/api/memoize.ts';
import { createAuthority, generateKey, issue, privatePem, publicPem } from './certificates.ts';
import { inspect } from './inspect.ts';

export * from './certificates.ts';

type Reads = { [R in keyof PkiReads]: (input: PkiReads[R][0]) => PkiReads[R][1] };

const reads: Reads = {
  authority: ({ commonName, days, algorithm, now }) =>
    createAuthority({ subject: { commonName }, days, algorithm, now }),
  keyPair: ({ algorithm }) => {
    const key = generateKey(algorithm);
    return { publicKey: publicPem(key), privateKey: privatePem(key) };
  },
  clientCertificate: ({ commonName, organizations, days, algorithm, caCertificate, caKey, now }) =>
    issue({
      subject: { commonName, organizations },
      usages: ['client'],
      ca: { certificate: caCertificate, key: caKey },
      days,
      now,
      algorithm,
    }),
  inspect,
};

/** Every pass of a control plane inspects its authorities; they hardly ever change. */
const mostInspected = 5000;

/** Milliseconds for which a one-day client certificate is reused for equal requests. */
const shared = 12 * 60 * 60_000;
const mostShared = 5000;

/** Every pass that reads etcd requests a short-lived certificate; two per day suffice. */
const shareShortLived = (issueNew: Reads['clientCertificate']): Reads['clientCertificate'] => {
  const issued = memoize(mostShared, (): { at?: number; pair?: ReturnType<typeof issueNew> } => ({}));
  return (input) => {
    const { now, ...request } = input;
    if (input.days > 1) return issueNew(input);
    const last = issued(JSON.stringify(request));
    if (!last.pair || now < last.at! || now - last.at! >= shared)
      Object.assign(last, { at: now, pair: issueNew(input) });
    return last.pair!;
  };
};

export const localPki = (): Pki => {
  const inspected = memoizePair(mostInspected, (certificate, key) => inspect({ certificate, key }));
  const sharing: Reads = {
    ...reads,
    clientCertificate: shareShortLived(reads.clientCertificate),
    inspect: ({ certificate, key }) => inspected(certificate, key),
  };
  return { read: async (operation, input) => sharing[operation](input) };
};
