/** Decides what an ExtensionConfig reports of its extension. Pure. */
import { withConditions } from '../../../machinery/api/conditions.ts';
import { type ConditionDraft, found, type Plan, type Read } from '../../../machinery/api/reconcile.ts';
import type { Answered } from '../../ports/extensions.ts';
import { authorityKey, namedSecret } from '../authority/annotation.ts';
import { discoveredHandlers } from './discovered.ts';
import type { ExtensionConfig, ExtensionConfigStatus } from './schema.ts';

/** Seconds until an extension that did not answer is asked again: no event announces that it can. */
const retryInterval = 60;

export interface Observed {
  extension: ExtensionConfig;
  discovery: Read<Answered> | undefined;
}

/** What a call without certificates fails of. */
const awaited = ({ metadata, spec }: ExtensionConfig): string => {
  const named = namedSecret({ metadata });
  return named === undefined || spec?.clientConfig.caBundle ? '' : `waiting for ${authorityKey} of Secret ${named}: `;
};

const condition = (fault: string | undefined): ConditionDraft =>
  fault === undefined
    ? { type: 'Discovered', status: 'True', reason: 'Discovered', message: '' }
    : { type: 'Discovered', status: 'False', reason: 'NotDiscovered', message: `Discovery failed: ${fault}` };

export const reconcile = ({ extension, discovery }: Observed): Plan<ExtensionConfigStatus> => {
  const answered = discovery && found(discovery);
  if (!answered) return {};
  const discovered =
    answered.failed === undefined
      ? discoveredHandlers(extension.metadata.name, answered.answer)
      : { fault: answered.failed };
  const { handlers: before, ...status } = extension.status ?? {};
  const fault = 'fault' in discovered ? `${awaited(extension)}${discovered.fault}` : undefined;
  // What was discovered before stays in use while an extension cannot be asked.
  const handlers = 'fault' in discovered ? before : discovered.handlers;
  return {
    status: {
      ...status,
      ...(handlers && { handlers }),
      conditions: withConditions(status.conditions, condition(fault)) as ExtensionConfigStatus['conditions'] & {},
    },
    ...(fault !== undefined && { requeueAfter: retryInterval }),
  };
};
