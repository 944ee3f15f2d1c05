/**
 * Checks that machines keep the instance metadata that they boot from, and do not expose tags,
 * which EC2 refuses.
 */

import { found } from '../../../machinery/api/reconcile.ts';
import { noMetadata } from '../aws-machine/request.ts';
import type { PreflightFacts } from './facts.ts';
import { type Finding, refused } from './finding.ts';

export const judgeMetadata = ({ machines }: PreflightFacts): Finding[] =>
  machines.flatMap(({ spec, at }) => {
    const options = found(spec)?.instanceMetadataOptions;
    return [
      ...(options?.httpEndpoint === 'disabled'
        ? [refused(`${at.object} ${at.path}.instanceMetadataOptions.httpEndpoint: ${noMetadata}`)]
        : []),
      ...(options?.instanceMetadataTags === 'enabled'
        ? [
            refused(
              `${at.object} ${at.path}.instanceMetadataOptions.instanceMetadataTags: EC2 shows no tags whose keys have a slash, as those of every cluster do, and launches no machine that is to show them: set it to disabled`,
            ),
          ]
        : []),
    ];
  });
