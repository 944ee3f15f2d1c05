/** The two stacks of an installation. */
import type { App } from 'aws-cdk-lib';
import { formatOfPurposes, storedFormat, unrecordedFormat } from '../machinery/store/format.ts';
import { acknowledgeAll } from './acknowledged/index.ts';
import { type Context, changedIn, mergedContext } from './context.ts';
import { ControlPlane } from './control-plane.ts';
import type { Found } from './deployed.ts';
import { Monitoring } from './monitoring/index.ts';
import { contextMetadata, monitoringStackOf, namedMetadata, stackOf } from './names.ts';
import { givenContext, settingsOf } from './settings.ts';

export interface Stacks {
  controlPlane: ControlPlane;
  monitoring: Monitoring;
}

/** Only lookups bind the template to an account; otherwise the same template fits everywhere. */
const environmentOf = (vpcId: string | undefined) => {
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  return vpcId !== undefined && account !== undefined && region !== undefined ? { env: { account, region } } : {};
};

const unknown: Found = { isKnown: false, context: {}, named: [] };

/** The settings that this deployment may change. A user who repeats a deployed value gets the same template. */
const namedIn = ({ isKnown, context, named }: Found, given: Context, next: Context): readonly string[] => {
  if (!isKnown) return Object.keys(given).sort();
  const changed = changedIn(context, next);
  return changed.length === 0 ? named : changed;
};

/** The permission to leave a format ends with the first version that reads it. */
const withoutSpent = ({ leaveFormat, ...context }: Context): Context => ({
  ...context,
  ...(Number(leaveFormat) > storedFormat && { leaveFormat: leaveFormat! }),
});

/** The first deployment of a version that encrypts Secrets for a purpose finds those of older versions. */
const hasFormerSecrets = ({ context, format = unrecordedFormat }: Found): boolean =>
  Object.keys(context).length > 0 && format < formatOfPurposes;

/** Only a bucket that a first deployment makes can have Object Lock by its template. */
const madeLockable = ({ context }: Found, { snapshotLockDays }: Context): Context =>
  Object.keys(context).length === 0 && snapshotLockDays ? { lockableSnapshots: 'true' } : {};

/** Without the reasons for findings of rule packs. */
export const unexplainedStacks = (app: App, code: string, deployed: Found = unknown): Stacks => {
  // The monitoring stack references retained tables by name, which never change.
  app.node.setContext('@aws-cdk/core:defaultCrossStackReferences', 'strong');
  const given = givenContext(app.node);
  // Recorded although it is the default: without a record the installation has a key of one region.
  const context = withoutSpent({
    multiRegionKey: 'true',
    ...madeLockable(deployed, given),
    ...mergedContext(deployed.context, given),
  });
  const named = namedIn(deployed, given, context);
  const settings = settingsOf(context);
  const environment = environmentOf(settings.vpcId);
  const { installation } = settings;
  const recorded = { context, named, isKnown: deployed.isKnown, hasFormerSecrets: hasFormerSecrets(deployed) };
  const controlPlane = new ControlPlane(app, stackOf(installation), { settings, recorded, code, ...environment });
  const monitoring = new Monitoring(app, monitoringStackOf(installation), { settings, controlPlane, ...environment });
  // The next deployment starts from this context: a value that is not given stays.
  controlPlane.addMetadata(contextMetadata, context);
  controlPlane.addMetadata(namedMetadata, named);
  return { controlPlane, monitoring };
};

/** `code` is the folder with one folder per function. */
export const createStacks = (app: App, code: string, deployed?: Found): Stacks => {
  const stacks = unexplainedStacks(app, code, deployed);
  acknowledgeAll(stacks);
  return stacks;
};
