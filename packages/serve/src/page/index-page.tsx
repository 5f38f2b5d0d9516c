import { FactList, NoticeList, unbroken } from "@vouch/views";
import type { IndexPageData, ShownModel } from "../page-data.js";
import { ModelSubtitle } from "./model-subtitle.js";

/** Lists all models, and how far each can be trusted. */
export function IndexPage({ data: { models, faults } }: { readonly data: IndexPageData }) {
  return (
    <>
      <h1>Models</h1>
      {faults.map(({ name, version, fault, ready }) => (
        <div class="verdict no" key={`${name} ${version}`}>
          <p>
            <b>
              {name}, version {version}
            </b>
            : the current file cannot be loaded. {fault}{" "}
            {ready ? "The model that was loaded before still answers." : "This model does not answer."}
          </p>
        </div>
      ))}
      {models.map((model) => (
        <section class="part" key={model.path}>
          <h2>
            <a href={model.path}>{model.name}</a>
          </h2>
          <ModelSubtitle model={model} />
          <FactList facts={trust(model)} />
          <NoticeList notices={model.facts.verdict?.warnings ?? []} />
        </section>
      ))}
    </>
  );
}

function trust({ facts, monitor }: ShownModel) {
  return [
    { label: "Verdict", value: facts.verdict?.sentence ?? "Its error was not measured in training." },
    { label: "Certificate", value: facts.certificate?.statement ?? "It has no certificate." },
    { label: "Monitoring", value: monitor.sentence },
  ].map(({ label, value }) => ({ label, value: unbroken(value) }));
}
