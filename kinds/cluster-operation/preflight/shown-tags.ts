/** Whether machines may be launched that show their tags inside. */
import { found } from '../../../machinery/api/reconcile.ts';
import type { PreflightFacts } from './facts.ts';
import { type Finding, refused } from './finding.ts';

export const judgeShownTags = ({ machines }: PreflightFacts): Finding[] =>
  machines.flatMap(({ spec, at }) =>
    found(spec)?.instanceMetadataOptions?.instanceMetadataTags === 'enabled'
      ? [
          refused(
            `${at.object} ${at.path}.instanceMetadataOptions.instanceMetadataTags: EC2 shows no tags whose keys have a slash, as those of every cluster do, and launches no machine that is to show them: set it to disabled`,
          ),
        ]
      : [],
  );
