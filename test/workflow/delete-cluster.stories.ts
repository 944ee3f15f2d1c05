/** What delete-cluster does. Written out, not computed from the definition; play.ts says how to read them. */
import type { Stories } from './play.ts';

export const deleteCluster: Stories = [
  // It goes well.
  [
    'every step succeeds',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded → SUCCEEDED',
  ],
  // A step is refused: it is told, and the end is waited for.
  ['DeleteWorkers refused', 'DeleteWorkers!StepRefused Held(StepRefused) Prove Succeeded → SUCCEEDED'],
  [
    'DeleteControlPlane refused',
    'DeleteWorkers DeleteControlPlane!StepRefused Held(StepRefused) Prove Succeeded → SUCCEEDED',
  ],
  [
    'DeleteLoadBalancers refused',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers!StepRefused Held(StepRefused) Prove Succeeded → SUCCEEDED',
  ],
  [
    'DeleteNetwork refused',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork!StepRefused Held(StepRefused) Prove Succeeded → SUCCEEDED',
  ],
  [
    'Prove refused',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove!StepRefused Held(StepRefused) Prove Succeeded → SUCCEEDED',
  ],
  // A step is too late: it is told, and the end is waited for.
  ['DeleteWorkers too late', 'DeleteWorkers!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded → SUCCEEDED'],
  [
    'DeleteControlPlane too late',
    'DeleteWorkers DeleteControlPlane!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded → SUCCEEDED',
  ],
  [
    'DeleteLoadBalancers too late',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded → SUCCEEDED',
  ],
  [
    'DeleteNetwork too late',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded → SUCCEEDED',
  ],
  [
    'Prove too late',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded → SUCCEEDED',
  ],
  // Another operation takes its place.
  ['DeleteWorkers cancelled', 'DeleteWorkers!Cancelled Cancelled → FAILED Cancelled'],
  ['DeleteControlPlane cancelled', 'DeleteWorkers DeleteControlPlane!Cancelled Cancelled → FAILED Cancelled'],
  [
    'DeleteLoadBalancers cancelled',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers!Cancelled Cancelled → FAILED Cancelled',
  ],
  [
    'DeleteNetwork cancelled',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork!Cancelled Cancelled → FAILED Cancelled',
  ],
  [
    'Prove cancelled',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove!Cancelled Cancelled → FAILED Cancelled',
  ],
  // An error that nobody knows is retried, then told; the end is waited for.
  [
    'DeleteWorkers fails as nobody knows',
    'DeleteWorkers*AccessDenied 9 times Held(AccessDenied) Prove Succeeded → SUCCEEDED',
  ],
  [
    'DeleteControlPlane fails as nobody knows',
    'DeleteWorkers DeleteControlPlane*AccessDenied 9 times Held(AccessDenied) Prove Succeeded → SUCCEEDED',
  ],
  [
    'DeleteLoadBalancers fails as nobody knows',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers*AccessDenied 9 times Held(AccessDenied) Prove Succeeded → SUCCEEDED',
  ],
  [
    'DeleteNetwork fails as nobody knows',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork*AccessDenied 9 times Held(AccessDenied) Prove Succeeded → SUCCEEDED',
  ],
  [
    'Prove fails as nobody knows',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove*AccessDenied 9 times Held(AccessDenied) Prove Succeeded → SUCCEEDED',
  ],
  // A lost token is asked for again, however often.
  [
    'DeleteWorkers loses its token',
    'DeleteWorkers? 5 times +3601 DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded → SUCCEEDED',
  ],
  [
    'DeleteControlPlane loses its token',
    'DeleteWorkers DeleteControlPlane? 5 times +3601 DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded → SUCCEEDED',
  ],
  [
    'DeleteLoadBalancers loses its token',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers? 5 times +3601 DeleteLoadBalancers DeleteNetwork Prove Succeeded → SUCCEEDED',
  ],
  [
    'DeleteNetwork loses its token',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork? 5 times +3601 DeleteNetwork Prove Succeeded → SUCCEEDED',
  ],
  [
    'Prove loses its token',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove? 5 times +3601 Prove Succeeded → SUCCEEDED',
  ],
  // What is in the way goes when it goes.
  [
    'held again and again',
    'DeleteWorkers DeleteControlPlane!StepRefused Held(StepRefused) Prove!StepRefused Held(StepRefused) Prove!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded → SUCCEEDED',
  ],
  [
    'held, then cancelled',
    'DeleteWorkers!DeadlineExceeded Held(DeadlineExceeded) Prove!Cancelled Cancelled → FAILED Cancelled',
  ],
  [
    'held, with all its retries again',
    'DeleteWorkers!StepRefused Held(StepRefused) Prove*AccessDenied 9 times Held(AccessDenied) Prove*AccessDenied 9 times Held(AccessDenied) Prove Succeeded → SUCCEEDED',
  ],
  // What only records is retried, too, and held when it cannot be recorded.
  [
    'Succeeded fails as nobody knows',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded*AccessDenied 9 times Held(AccessDenied) Prove Succeeded → SUCCEEDED',
  ],
  [
    'Succeeded loses its token',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded? 5 times +3601 Succeeded → SUCCEEDED',
  ],
  [
    'Succeeded answered with StepRefused',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded!StepRefused Held(StepRefused) Prove Succeeded → SUCCEEDED',
  ],
  [
    'Succeeded answered with DeadlineExceeded',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded → SUCCEEDED',
  ],
  [
    'Succeeded answered with Cancelled',
    'DeleteWorkers DeleteControlPlane DeleteLoadBalancers DeleteNetwork Prove Succeeded!Cancelled Held(Cancelled) Prove Succeeded → SUCCEEDED',
  ],
  [
    'Cancelled fails as nobody knows',
    'DeleteWorkers!Cancelled Cancelled*AccessDenied 9 times Held(AccessDenied) Prove Succeeded → SUCCEEDED',
  ],
  ['Cancelled loses its token', 'DeleteWorkers!Cancelled Cancelled? 5 times +3601 Cancelled → FAILED Cancelled'],
  [
    'Cancelled answered with StepRefused',
    'DeleteWorkers!Cancelled Cancelled!StepRefused Held(StepRefused) Prove Succeeded → SUCCEEDED',
  ],
  [
    'Cancelled answered with DeadlineExceeded',
    'DeleteWorkers!Cancelled Cancelled!DeadlineExceeded Held(DeadlineExceeded) Prove Succeeded → SUCCEEDED',
  ],
  [
    'Cancelled answered with Cancelled',
    'DeleteWorkers!Cancelled Cancelled!Cancelled Held(Cancelled) Prove Succeeded → SUCCEEDED',
  ],
  // Where even that fails, the execution fails, and the sweep finds it.
  [
    'Held fails as nobody knows',
    'DeleteWorkers!StepRefused Held(StepRefused)*AccessDenied 9 times → FAILED AccessDenied, uncaught',
  ],
  [
    'Held loses its token',
    'DeleteWorkers!StepRefused Held(StepRefused)? 5 times +3601 Held(StepRefused) Prove Succeeded → SUCCEEDED',
  ],
  [
    'Held answered with StepRefused',
    'DeleteWorkers!StepRefused Held(StepRefused)!StepRefused → FAILED StepRefused, uncaught',
  ],
  [
    'Held answered with DeadlineExceeded',
    'DeleteWorkers!StepRefused Held(StepRefused)!DeadlineExceeded → FAILED DeadlineExceeded, uncaught',
  ],
  [
    'Held answered with Cancelled',
    'DeleteWorkers!StepRefused Held(StepRefused)!Cancelled → FAILED Cancelled, uncaught',
  ],
];
