/** Checks that the Secrets exist from which machines take files, passwords or all their boot data. */
import { found } from '../../../machinery/api/reconcile.ts';
import { secretValue } from '../../core/contract/cluster-secrets.ts';
import type { PreflightFacts } from './facts.ts';
import { type Finding, pending, refused, unknown } from './finding.ts';

export const judgeSources = ({ machines }: PreflightFacts): Finding[] =>
  machines.flatMap(({ sources = [] }) =>
    sources.flatMap(({ field, name, key, secret }) => {
      if (secret.state === 'absent') return [pending(`Waiting for Secret ${name}, which ${field} names`)];
      const value = found(secret);
      if (!value) return unknown(`Secret ${name}`, secret);
      return secretValue(value, key) === undefined
        ? [pending(`Waiting for key ${key} of Secret ${name}, which ${field} names`)]
        : [];
    }),
  );

/** Without an instance profile a machine may not read the secret that holds its boot data. */
export const judgeBootData = ({ machines }: PreflightFacts): Finding[] =>
  machines.flatMap(({ spec, at, bastion }) => {
    const machine = found(spec);
    if (!machine || bastion || machine.iamInstanceProfile) return [];
    if (machine.ignition || machine.cloudInit?.insecureSkipSecretsManager) return [];
    return [
      refused(
        `${at.object} ${at.path}.iamInstanceProfile: there is none, and without one a machine cannot fetch its bootstrap data: name one that may, or set ${at.path}.cloudInit.insecureSkipSecretsManager`,
      ),
    ];
  });
