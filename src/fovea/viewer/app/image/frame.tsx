// What views of pictures share: what to train where nothing is served, how weights are shown, the true boxes.
import { setParams, useRoute } from "../route";
import { axisOf, type Label, type Trace } from "../trace";
import { Choice } from "../ui";
import { at, type Picture } from "./looked";

export function Untrained({ task, does }: { task: string; does: string }) {
  return (
    <div class="untrained">
      <p class="note">No model that is served here {does}. Train one on the built-in world, and serve it:</p>
      <pre>
        fovea train {task} --out {task}.safetensors{"\n"}
        fovea serve {task}.safetensors
      </pre>
    </div>
  );
}

// The true boxes, where they are known and wanted. usual: whether they are shown while nobody says.
export function useTruth(trace: Trace | null, usual = true): { known: Label[]; shown: Label[]; wanted: boolean } {
  const { params } = useRoute();
  const known = trace ? axisOf(trace, "truth").labels : [];
  const wanted = params.truth ? params.truth === "1" : usual;
  return { known, shown: wanted ? known : [], wanted };
}

// Smoothed or cell by cell; with the true boxes or without.
export function LookBar({ truth, cells }: { truth: ReturnType<typeof useTruth>; cells: boolean }) {
  const { params } = useRoute();
  return (
    <div class="figure-bar look-bar" data-unsaved>
      {cells && (
        <Choice
          label="Weights"
          value={params.form === "cells" ? "cells" : "smooth"}
          options={[
            ["smooth", "Smooth"],
            ["cells", "Cells"],
          ]}
          onChange={(form) => setParams({ form: form === "cells" ? form : "" })}
        />
      )}
      {truth.known.some((one) => one.box) && (
        <label class="check">
          <input
            type="checkbox"
            checked={truth.wanted}
            onChange={(event) => setParams({ truth: event.currentTarget.checked ? "1" : "0" })}
          />
          What is really there
        </label>
      )}
    </div>
  );
}

// The one cell that is pointed at.
export function Pointed({ box }: { box: Label["box"] }) {
  return box ? <rect class="pointed" {...at(box)} vector-effect="non-scaling-stroke" /> : null;
}

export const pictureOf = (trace: Trace): Picture => trace.image ?? { width: 1, height: 1, png: "" };
